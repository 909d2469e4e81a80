package io.verbena.wire;

/**
 * The header of an FPDU, and the arithmetic of its pad, its CRC field and its length. Lengths and offsets here do not
 * count markers: {@link Marker} adds those.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |          ULPDU_Length         |            ULPDU              |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
 *  ~                                                               ~
 *  |                               +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                               |       PAD (0 to 3 bytes)      |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                      CRC (always present)                     |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 5044 section 4.1. The CRC field holds the CRC32C least significant byte first (section 4.4).
 */
public final class FpduHeader extends Header<FpduHeader> {
    /** Bytes of the header: ULPDU_Length. */
    public static final int LENGTH = 2;
    /** Bytes of the CRC field. */
    public static final int CRC_LENGTH = 4;
    /** The largest ULPDU_Length, bytes. */
    public static final int MAX_ULPDU_LENGTH = 0xffff;
    /** The largest whole FPDU without markers, bytes. */
    public static final int MAX_FPDU_LENGTH = fpduLength(MAX_ULPDU_LENGTH);
    /** Maximum MULPDU of a sender in bytes (RFC 5044 section 3 [3, 4]); this receiver accepts more. */
    public static final int MAX_MULPDU = 64768;
    /** The smallest MULPDU a sender may use, bytes. */
    public static final int MIN_MULPDU = 128;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Number of pad bytes after a ULPDU of this length: 0 to 3. Markers are not counted. */
    public static int padLength(int ulpduLength) {
        // RFC 5044 section 4.1 [1]: the pad makes the FPDU a multiple of four bytes.
        return -(LENGTH + ulpduLength) & 3;
    }

    /** Offset of the CRC field from the ULPDU_Length field: header, ULPDU and pad; also the bytes the CRC covers. */
    public static int crcOffset(int ulpduLength) {
        return LENGTH + ulpduLength + padLength(ulpduLength);
    }

    /** Bytes of the whole FPDU: header, ULPDU, pad and CRC field. */
    public static int fpduLength(int ulpduLength) {
        return crcOffset(ulpduLength) + CRC_LENGTH;
    }

    /**
     * The maximum ULPDU that fits one TCP segment.
     *
     * @param emss maximum TCP payload of a segment in bytes
     * @param markers whether markers are sent
     * @return bytes, at least {@link #MIN_MULPDU} and at most what the length field (with markers: FPDUPTR) permits
     */
    public static int mulpdu(int emss, boolean markers) {
        // RFC 5044 section 4.5 [1, 2, 3]: both formulas, and never below 128 bytes.
        int markerBytes = markers ? Marker.LENGTH * ((emss + Marker.INTERVAL - 1) / Marker.INTERVAL) : 0;
        int room = emss - (LENGTH + CRC_LENGTH + markerBytes + (emss & 3));
        return Math.clamp(room, MIN_MULPDU, MAX_MULPDU);
    }

    /** ULPDU_Length: bytes of the ULPDU, 0 to 65535. */
    public int ulpduLength() {
        return u16(0);
    }

    public FpduHeader ulpduLength(int value) {
        return u16(0, value);
    }

    /** Appends one line such as {@code FPDU ulpdu=42 pad=0}. */
    public StringBuilder describe(StringBuilder out) {
        int length = ulpduLength();
        return out.append("FPDU ulpdu=").append(length).append(" pad=").append(padLength(length));
    }
}
