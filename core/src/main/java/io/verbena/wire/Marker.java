package io.verbena.wire;

/**
 * An MPA marker, and the arithmetic of marker positions.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |           RESERVED            |            FPDUPTR            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A <i>stream position</i> counts the bytes of one direction, markers included, from the first byte after the MPA
 * start frame. The first marker is at position 0, the next ones are at 512, 1024, and so on. <i>Plain bytes</i> are the
 * bytes outside of markers: header, ULPDU, pad and CRC field. A marker between two FPDUs belongs to the second one, so an
 * FPDU that starts at the position of a marker starts with that marker.
 *
 * <p>Source: RFC 5044 sections 4.2 and 4.3.
 */
public final class Marker extends Header<Marker> {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** Bytes from the start of a marker to the start of the next. */
    public static final int INTERVAL = 512;
    /** The longest ULPDU, bytes, of which every marker can still point back to the FPDU's start with 16 bits. */
    public static final int MAX_ULPDU_LENGTH = 65018;

    private static final int PLAIN = INTERVAL - LENGTH;
    private static final int RESERVED = 0;
    private static final int FPDUPTR = 2;

    /** Whether {@code available} bytes hold a marker. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Whether a marker starts at this stream position. */
    public static boolean isAt(long position) {
        // RFC 5044 section 4.3 [2, 7]: the first marker precedes the first FPDU, the others follow every 512 bytes.
        return (position & INTERVAL - 1) == 0;
    }

    /** The stream position of the first marker at or after {@code position}. */
    public static long nextAt(long position) {
        return position + INTERVAL - 1 & -INTERVAL;
    }

    /**
     * The number of markers before or between {@code plainLength} plain bytes if the first of them, or a marker due
     * before it, is sent at {@code position}. A marker after the last byte is not counted.
     */
    public static long countWithin(long position, long plainLength) {
        long untilMarker = nextAt(position) - position;
        return plainLength <= untilMarker ? 0 : (plainLength - untilMarker + PLAIN - 1) / PLAIN;
    }

    /** Bytes on the wire of {@code plainLength} plain bytes from {@code position} on: these bytes and their markers. */
    public static long wireLength(long position, long plainLength) {
        return plainLength + LENGTH * countWithin(position, plainLength);
    }

    /** Bytes on the wire of a whole FPDU with this ULPDU_Length that starts at {@code position}, markers included. */
    public static int fpduWireLength(long position, int ulpduLength) {
        return (int) wireLength(position, FpduHeader.fpduLength(ulpduLength));
    }

    /** How many of the {@code wireLength} bytes from {@code position} on are plain bytes. Any position will do. */
    public static long plainWithin(long position, long wireLength) {
        return wireLength - (markerBytesBefore(position + wireLength) - markerBytesBefore(position));
    }

    /** The stream position of plain byte number {@code index} (from 0) of a run that starts at {@code position}. */
    public static long plainPosition(long position, long index) {
        return position + index + LENGTH * countWithin(position, index + 1);
    }

    /** The stream position of the ULPDU_Length field of an FPDU that starts at {@code fpduPosition}. */
    public static long headerPosition(long fpduPosition) {
        return isAt(fpduPosition) ? fpduPosition + LENGTH : fpduPosition;
    }

    /**
     * The FPDUPTR of the marker at {@code markerPosition} inside the FPDU that starts at {@code fpduPosition}.
     *
     * @return bytes from the ULPDU_Length field to the marker; 0 for a marker that precedes the field
     */
    public static int fpduptrAt(long fpduPosition, long markerPosition) {
        // RFC 5044 section 4.3 [3, 8, 10]: zero for a marker between FPDUs, otherwise the distance back to
        // ULPDU_Length; all markers of an FPDU point to the same position.
        return markerPosition == fpduPosition ? 0 : (int) (markerPosition - headerPosition(fpduPosition)) & 0xffff;
    }

    private static long markerBytesBefore(long position) {
        return LENGTH * Math.floorDiv(position, INTERVAL) + Math.min(LENGTH, position & INTERVAL - 1);
    }

    /** RESERVED: zero when sent, ignored when received. */
    public int reserved() {
        return u16(RESERVED);
    }

    /** FPDUPTR for calculations: number of bytes back to the ULPDU_Length field, with the two low bits cleared. */
    public int fpduptr() {
        // RFC 5044 section 4.2 [4]: the receiver treats the two low bits as zero.
        return u16(FPDUPTR) & ~3;
    }

    /** Writes FPDUPTR (its two low bits as zero) and clears RESERVED. */
    public Marker fpduptr(int value) {
        // RFC 5044 section 4.2 [2, 3]: RESERVED and the two low bits of FPDUPTR are zero when sent.
        u16(RESERVED, 0);
        return u16(FPDUPTR, value & ~3);
    }

    /** Appends one line such as {@code Marker fpduptr=20}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("Marker fpduptr=").append(fpduptr());
    }
}
