package io.verbena.iwarp;

/** What MPA puts around ULPDUs, as agreed for a stream. */
public enum Framing {
    PLAIN(false, false),
    CRC(true, false),
    MARKERS(false, true),
    CRC_AND_MARKERS(true, true);

    final boolean crc;
    final boolean markers;

    Framing(boolean crc, boolean markers) {
        this.crc = crc;
        this.markers = markers;
    }
}
