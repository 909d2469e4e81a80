package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 5041 section 4.3, RFC 5040 section 4.1.
 */
public final class DdpUntagged {
    /** Bytes. */
    public static final int LENGTH = 18;
    /** The MSN of the first message on every queue. */
    public static final int FIRST_MSN = 1;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int DDP_CONTROL = 0;
    private static final int RDMAP_CONTROL = 1;
    private static final int INVALIDATE_STAG = 2;
    private static final int QN = 6;
    private static final int MSN = 10;
    private static final int MO = 14;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public DdpUntagged wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** The DDP control byte, 0 to 255; see {@link DdpControl}. */
    public int ddpControl() {
        return segment.get(U8, offset + DDP_CONTROL) & 0xff;
    }

    /** The RDMAP control byte, 0 to 255; see {@link RdmapControl}. */
    public int rdmapControl() {
        return segment.get(U8, offset + RDMAP_CONTROL) & 0xff;
    }

    /** Writes both control bytes: T clear, versions 1, reserved bits clear. */
    public DdpUntagged control(RdmapOpcode opcode, boolean last) {
        segment.set(U8, offset + DDP_CONTROL, (byte) DdpControl.of(false, last));
        segment.set(U8, offset + RDMAP_CONTROL, (byte) RdmapControl.of(opcode));
        return this;
    }

    /** Writes the DDP control byte. */
    public DdpUntagged ddpControl(int value) {
        segment.set(U8, offset + DDP_CONTROL, (byte) value);
        return this;
    }

    /** Writes the RDMAP control byte. */
    public DdpUntagged rdmapControl(int value) {
        segment.set(U8, offset + RDMAP_CONTROL, (byte) value);
        return this;
    }

    /** T: tagged. */
    public boolean t() {
        return DdpControl.t(ddpControl());
    }

    /** L: last segment of its message. */
    public boolean l() {
        return DdpControl.l(ddpControl());
    }

    /** Writes L. */
    public DdpUntagged l(boolean value) {
        return ddpControl(DdpControl.l(ddpControl(), value));
    }

    /** DV: DDP version, 0 to 3. */
    public int dv() {
        return DdpControl.dv(ddpControl());
    }

    /** Writes DV. */
    public DdpUntagged dv(int value) {
        return ddpControl(DdpControl.dv(ddpControl(), value));
    }

    /** RV: RDMAP version, 0 to 3. */
    public int rv() {
        return RdmapControl.rv(rdmapControl());
    }

    /** Writes RV. */
    public DdpUntagged rv(int value) {
        return rdmapControl(RdmapControl.rv(rdmapControl(), value));
    }

    /** Opcode; RESERVED for values without a meaning. */
    public RdmapOpcode opcode() {
        return RdmapControl.opcode(rdmapControl());
    }

    /** Writes the opcode. */
    public DdpUntagged opcode(RdmapOpcode value) {
        return rdmapControl(RdmapControl.opcode(rdmapControl(), value));
    }

    /** Invalidate STag, valid if {@link RdmapOpcode#invalidates()}; otherwise zero and ignored by receivers. */
    public int invalidateStag() {
        return segment.get(U32, offset + INVALIDATE_STAG);
    }

    /** Writes Invalidate STag (0 where the opcode does not invalidate). */
    public DdpUntagged invalidateStag(int value) {
        segment.set(U32, offset + INVALIDATE_STAG, value);
        return this;
    }

    /** QN: queue number, all 32 bits. */
    public int qn() {
        return segment.get(U32, offset + QN);
    }

    /** Writes QN. */
    public DdpUntagged qn(int value) {
        segment.set(U32, offset + QN, value);
        return this;
    }

    /** MSN: message sequence number, 32 bits that wrap; compare by difference. */
    public int msn() {
        return segment.get(U32, offset + MSN);
    }

    /** Writes MSN. */
    public DdpUntagged msn(int value) {
        segment.set(U32, offset + MSN, value);
        return this;
    }

    /** MO: message offset in bytes, 0 to 2^32-1. */
    public long mo() {
        return Integer.toUnsignedLong(segment.get(U32, offset + MO));
    }

    /** Writes MO (the low 32 bits of {@code value}). */
    public DdpUntagged mo(long value) {
        segment.set(U32, offset + MO, (int) value);
        return this;
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
