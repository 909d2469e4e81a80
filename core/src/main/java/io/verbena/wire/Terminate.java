package io.verbena.wire;

/**
 * The RDMAP header of a Terminate message; it follows the untagged DDP header and is the whole payload.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  | Layer | EType |  Error Code   |M|D|R|        Reserved         |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  | DDP Segment Length (if M or D)|                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+                               +
 *  ~        Terminated DDP Header (if D: 14 or 18 bytes)           ~
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  ~       Terminated RDMA Header (if R: a Read Request's)         ~
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>The order of bits is that of the RFC; {@link TerminateReader} also accepts a peer that fills the first word
 * in another bit order. Source: RFC 5040 section 4.8.
 */
public final class Terminate extends Header<Terminate> {
    /** Length of the mandatory part in bytes. */
    public static final int LENGTH = 4;
    /** Bytes of the DDP Segment Length field. */
    public static final int SEGMENT_LENGTH_LENGTH = 2;
    /** The longest Terminate payload, bytes. */
    public static final int MAX_LENGTH = LENGTH + SEGMENT_LENGTH_LENGTH + DdpUntagged.LENGTH + ReadRequest.LENGTH;

    private static final int LAYER_ETYPE = 0;
    private static final int ERROR_CODE = 1;
    private static final int HDR_CT = 2;
    private static final int RESERVED = 3;
    private static final int DDP_SEGMENT_LENGTH = 4;

    /** Whether {@code available} bytes hold the mandatory part. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /**
     * Bytes of a Terminate payload.
     *
     * @param m whether the segment length is given
     * @param ddpHeaderLength 14, 18, or 0 for no DDP header
     * @param r whether a Read Request's header is given
     */
    public static int payloadLength(boolean m, int ddpHeaderLength, boolean r) {
        return LENGTH
                + (m || ddpHeaderLength > 0 ? SEGMENT_LENGTH_LENGTH : 0)
                + ddpHeaderLength
                + (r ? ReadRequest.LENGTH : 0);
    }

    /** Layer: 0 RDMAP, 1 DDP, 2 the layer below. */
    public int layer() {
        return bits(LAYER_ETYPE, 0, 4);
    }

    /** EType: 0 to 15, its meaning depends on the layer. */
    public int etype() {
        return bits(LAYER_ETYPE, 4, 4);
    }

    /** Error Code: 0 to 255, its meaning depends on layer and type. */
    public int errorCode() {
        return u8(ERROR_CODE);
    }

    /** Layer, type and code together. */
    public TerminateCode code() {
        return TerminateCode.of(layer(), etype(), errorCode());
    }

    /** Writes layer, type and code, and clears HdrCt and the reserved bits. */
    public Terminate code(TerminateCode value) {
        return code(value.layer(), value.etype(), value.code());
    }

    /** Writes any layer, type and code, and clears HdrCt and the reserved bits. */
    public Terminate code(int layer, int etype, int errorCode) {
        u8(LAYER_ETYPE, layer << 4 | etype & 0xf);
        u8(ERROR_CODE, errorCode);
        // RFC 5040 section 4.8 [4]: the reserved bits are zero when sent.
        u8(HDR_CT, 0);
        return u8(RESERVED, 0);
    }

    /** M: the DDP segment length is valid. */
    public boolean m() {
        return flag(HDR_CT, 0);
    }

    public Terminate m(boolean value) {
        return flag(HDR_CT, 0, value);
    }

    /** D: the terminated DDP header is present. */
    public boolean d() {
        return flag(HDR_CT, 1);
    }

    public Terminate d(boolean value) {
        return flag(HDR_CT, 1, value);
    }

    /** R: the terminated RDMAP header is present. */
    public boolean r() {
        return flag(HDR_CT, 2);
    }

    public Terminate r(boolean value) {
        return flag(HDR_CT, 2, value);
    }

    /** DDP Segment Length: bytes; there only if M or D. */
    public int ddpSegmentLength() {
        return u16(DDP_SEGMENT_LENGTH);
    }

    public Terminate ddpSegmentLength(int value) {
        return u16(DDP_SEGMENT_LENGTH, value);
    }

    /** Where the terminated DDP header starts in the segment; there only if D. */
    public long ddpHeaderOffset() {
        return offset(DDP_SEGMENT_LENGTH) + (m() || d() ? SEGMENT_LENGTH_LENGTH : 0);
    }

    /**
     * Length of the terminated DDP header: 0 without D, otherwise 14 or 18 according to its own T bit. Needs one byte
     * of it.
     */
    public int ddpHeaderLength() {
        if (!d()) {
            return 0;
        }
        return DdpControl.t(segment().get(U8, ddpHeaderOffset())) ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
    }

    /** Where the terminated RDMAP header (a {@link ReadRequest}) starts in the segment; there only if R. */
    public long rdmapHeaderOffset() {
        return ddpHeaderOffset() + ddpHeaderLength();
    }

    /** Appends one line such as {@code layer=1 etype=2 code=0x02 DDP_UNTAGGED_NO_BUFFER M D}; the first word only. */
    public StringBuilder describe(StringBuilder out) {
        out.append("layer=").append(layer()).append(" etype=").append(etype());
        Hex.append(out.append(" code=0x"), errorCode(), 2);
        out.append(' ').append(code().name());
        return out.append(m() ? " M" : "").append(d() ? " D" : "").append(r() ? " R" : "");
    }
}
