package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 5041 section 4.2, RFC 5040 section 4.1.
 */
public final class DdpTagged {
    /** Bytes. */
    public static final int LENGTH = 14;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int DDP_CONTROL = 0;
    private static final int RDMAP_CONTROL = 1;
    private static final int STAG = 2;
    private static final int TO = 6;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public DdpTagged wrap(MemorySegment segment, long offset) {
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

    /** Writes both control bytes: T set, versions 1, reserved bits clear. */
    public DdpTagged control(RdmapOpcode opcode, boolean last) {
        segment.set(U8, offset + DDP_CONTROL, (byte) DdpControl.of(true, last));
        segment.set(U8, offset + RDMAP_CONTROL, (byte) RdmapControl.of(opcode));
        return this;
    }

    /** Writes the DDP control byte. */
    public DdpTagged ddpControl(int value) {
        segment.set(U8, offset + DDP_CONTROL, (byte) value);
        return this;
    }

    /** Writes the RDMAP control byte. */
    public DdpTagged rdmapControl(int value) {
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
    public DdpTagged l(boolean value) {
        return ddpControl(DdpControl.l(ddpControl(), value));
    }

    /** DV: DDP version, 0 to 3. */
    public int dv() {
        return DdpControl.dv(ddpControl());
    }

    /** Writes DV. */
    public DdpTagged dv(int value) {
        return ddpControl(DdpControl.dv(ddpControl(), value));
    }

    /** RV: RDMAP version, 0 to 3. */
    public int rv() {
        return RdmapControl.rv(rdmapControl());
    }

    /** Writes RV. */
    public DdpTagged rv(int value) {
        return rdmapControl(RdmapControl.rv(rdmapControl(), value));
    }

    /** Opcode; RESERVED for values without a meaning. */
    public RdmapOpcode opcode() {
        return RdmapControl.opcode(rdmapControl());
    }

    /** Writes the opcode. */
    public DdpTagged opcode(RdmapOpcode value) {
        return rdmapControl(RdmapControl.opcode(rdmapControl(), value));
    }

    /** STag: the 32 bits of the key. */
    public int stag() {
        return segment.get(U32, offset + STAG);
    }

    /** Writes STag. */
    public DdpTagged stag(int value) {
        segment.set(U32, offset + STAG, value);
        return this;
    }

    /** TO: tagged offset in bytes, unsigned 64 bits. */
    public long to() {
        return segment.get(U64, offset + TO);
    }

    /** Writes TO. */
    public DdpTagged to(long value) {
        segment.set(U64, offset + TO, value);
        return this;
    }

    /** Appends one line such as {@code Write last stag=0x00000001 to=0x0000000000000000}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(opcode().label()).append(l() ? " last stag=" : " stag=");
        Hex.stag(out, stag()).append(" to=");
        return Hex.to(out, to());
    }
}
