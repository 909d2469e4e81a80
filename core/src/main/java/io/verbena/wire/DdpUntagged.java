package io.verbena.wire;

/**
 * The header of an untagged DDP segment, both control bytes included.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *                                  |T|L| Rsvd  | DV| RV|Rsv| Opcode|
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                RsvdULP, or Invalidate STag                    |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                              QN                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                              MSN                              |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                              MO                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 5041 section 4.3, RFC 5040 section 4.1.
 */
public final class DdpUntagged extends Header<DdpUntagged> {
    /** Bytes. */
    public static final int LENGTH = 18;
    /** The MSN of the first message on every queue. */
    public static final int FIRST_MSN = 1;

    private static final int DDP_CONTROL = 0;
    private static final int RDMAP_CONTROL = 1;
    private static final int INVALIDATE_STAG = 2;
    private static final int QN = 6;
    private static final int MSN = 10;
    private static final int MO = 14;

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

    /** Writes both control bytes: T clear, versions 1, reserved bits clear. */
    public DdpUntagged control(RdmapOpcode opcode, boolean last) {
        u8(DDP_CONTROL, DdpControl.of(false, last));
        return u8(RDMAP_CONTROL, RdmapControl.of(opcode));
    }

    public DdpUntagged ddpControl(int value) {
        return u8(DDP_CONTROL, value);
    }

    public DdpUntagged rdmapControl(int value) {
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

    public DdpUntagged l(boolean value) {
        return ddpControl(DdpControl.l(ddpControl(), value));
    }

    /** DV: DDP version, 0 to 3. */
    public int dv() {
        return DdpControl.dv(ddpControl());
    }

    public DdpUntagged dv(int value) {
        return ddpControl(DdpControl.dv(ddpControl(), value));
    }

    /** RV: RDMAP version, 0 to 3. */
    public int rv() {
        return RdmapControl.rv(rdmapControl());
    }

    public DdpUntagged rv(int value) {
        return rdmapControl(RdmapControl.rv(rdmapControl(), value));
    }

    /** Opcode; RESERVED for values without a meaning. */
    public RdmapOpcode opcode() {
        return RdmapControl.opcode(rdmapControl());
    }

    public DdpUntagged opcode(RdmapOpcode value) {
        return rdmapControl(RdmapControl.opcode(rdmapControl(), value));
    }

    /** Invalidate STag, valid if {@link RdmapOpcode#invalidates()}; otherwise zero and ignored by receivers. */
    public int invalidateStag() {
        return u32(INVALIDATE_STAG);
    }

    /** Writes Invalidate STag (0 where the opcode does not invalidate). */
    public DdpUntagged invalidateStag(int value) {
        return u32(INVALIDATE_STAG, value);
    }

    /** QN: queue number, all 32 bits. */
    public int qn() {
        return u32(QN);
    }

    public DdpUntagged qn(int value) {
        return u32(QN, value);
    }

    /** MSN: message sequence number, 32 bits that wrap; compare by difference. */
    public int msn() {
        return u32(MSN);
    }

    public DdpUntagged msn(int value) {
        return u32(MSN, value);
    }

    /** MO: message offset in bytes, 0 to 2^32-1. */
    public long mo() {
        return Integer.toUnsignedLong(u32(MO));
    }

    /** Writes MO (the low 32 bits of {@code value}). */
    public DdpUntagged mo(long value) {
        return u32(MO, (int) value);
    }

    /** Appends one line such as {@code Send last qn=0 msn=5 mo=0}. */
    public StringBuilder describe(StringBuilder out) {
        RdmapOpcode opcode = opcode();
        out.append(opcode.label());
        if (opcode.invalidates()) {
            Hex.stag(out.append(' '), invalidateStag());
        }
        Hex.unsigned(out.append(l() ? " last qn=" : " qn="), qn());
        Hex.unsigned(out.append(" msn="), msn());
        return out.append(" mo=").append(mo());
    }
}
