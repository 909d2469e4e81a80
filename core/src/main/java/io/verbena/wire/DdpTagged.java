package io.verbena.wire;

/**
 * The header of a tagged DDP segment, both control bytes included.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *                                  |T|L| Rsvd  | DV| RV|Rsv| Opcode|
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                             STag                              |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                              TO                               |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 5041 section 4.2, RFC 5040 section 4.1.
 */
public final class DdpTagged extends Header<DdpTagged> {
    /** Bytes. */
    public static final int LENGTH = 14;

    private static final int DDP_CONTROL = 0;
    private static final int RDMAP_CONTROL = 1;
    private static final int STAG = 2;
    private static final int TO = 6;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The DDP control byte, 0 to 255; see {@link DdpControl}. */
    public int ddpControl() {
        return u8(DDP_CONTROL);
    }

    /** The RDMAP control byte, 0 to 255; see {@link RdmapControl}. */
    public int rdmapControl() {
        return u8(RDMAP_CONTROL);
    }

    /** Writes both control bytes: T set, versions 1, reserved bits clear. */
    public DdpTagged control(RdmapOpcode opcode, boolean last) {
        u8(DDP_CONTROL, DdpControl.of(true, last));
        return u8(RDMAP_CONTROL, RdmapControl.of(opcode));
    }

    public DdpTagged ddpControl(int value) {
        return u8(DDP_CONTROL, value);
    }

    public DdpTagged rdmapControl(int value) {
        return u8(RDMAP_CONTROL, value);
    }

    /** T: tagged. */
    public boolean t() {
        return DdpControl.t(ddpControl());
    }

    /** L: last segment of its message. */
    public boolean l() {
        return DdpControl.l(ddpControl());
    }

    public DdpTagged l(boolean value) {
        return ddpControl(DdpControl.l(ddpControl(), value));
    }

    /** DV: DDP version, 0 to 3. */
    public int dv() {
        return DdpControl.dv(ddpControl());
    }

    public DdpTagged dv(int value) {
        return ddpControl(DdpControl.dv(ddpControl(), value));
    }

    /** RV: RDMAP version, 0 to 3. */
    public int rv() {
        return RdmapControl.rv(rdmapControl());
    }

    public DdpTagged rv(int value) {
        return rdmapControl(RdmapControl.rv(rdmapControl(), value));
    }

    /** Opcode; RESERVED for values without a meaning. */
    public RdmapOpcode opcode() {
        return RdmapControl.opcode(rdmapControl());
    }

    public DdpTagged opcode(RdmapOpcode value) {
        return rdmapControl(RdmapControl.opcode(rdmapControl(), value));
    }

    /** STag: the 32 bits of the key. */
    public int stag() {
        return u32(STAG);
    }

    public DdpTagged stag(int value) {
        return u32(STAG, value);
    }

    /** TO: tagged offset in bytes, unsigned 64 bits. */
    public long to() {
        return u64(TO);
    }

    public DdpTagged to(long value) {
        return u64(TO, value);
    }

    /** Appends one line such as {@code Write last stag=0x00000001 to=0x0000000000000000}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(opcode().label()).append(l() ? " last stag=" : " stag=");
        Hex.stag(out, stag()).append(" to=");
        return Hex.to(out, to());
    }
}
