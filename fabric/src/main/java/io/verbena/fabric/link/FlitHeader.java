package io.verbena.fabric.link;

import io.verbena.wire.Header;

/**
 * The header of a flit, the unit of flow control and of retransmission of a link.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |Typ|H|T|   VL  |N|    Size     |  CrVL |Credits|   Sequence    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |  Seq  |    Acknowledgement    |              CRC              |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Size is the number of payload bytes. CrVL and Credits return buffers of one lane to the receiver of this flit.
 * Acknowledgement is the number of the next flit that the sender of this flit expects; N asks the receiver to send all flits
 * from that one on again. H and T mark the first and the last flit of a frame; H of an ACK flit asks for the levels of all lanes. The payload of a
 * LEVEL flit has two fields of 16 bits, the level of the lane VL and Acknowledgement at the time of the level. The CRC covers the other bytes of the header
 * and the payload, and is the one of InfiniBand's VCRC.
 */
public final class FlitHeader extends Header<FlitHeader> {
    /** Length in bytes. */
    public static final int LENGTH = 8;
    /** Most bytes of a frame in one flit. */
    public static final int PAYLOAD = 64;
    /** Most credits that one header returns. */
    public static final int MOST_CREDITS = 15;
    /** Sequence numbers are counted modulo this. */
    public static final int SEQUENCES = 1 << 12;

    private static final int POLYNOMIAL = 0x100B;
    private static final int CRC = 6;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    private int field(int shift, int bits) {
        return (int) (u64(0) >>> shift) & (1 << bits) - 1;
    }

    private FlitHeader field(int shift, int bits, int value) {
        long ones = (1L << bits) - 1 << shift;
        return u64(0, u64(0) & ~ones | (long) value << shift & ones);
    }

    /** Typ: what the flit is for. */
    public FlitType type() {
        return FlitType.of(field(62, 2));
    }

    public FlitHeader type(FlitType value) {
        return field(62, 2, value.code());
    }

    /** H: the first flit of a frame. */
    public boolean head() {
        return field(61, 1) == 1;
    }

    public FlitHeader head(boolean value) {
        return field(61, 1, value ? 1 : 0);
    }

    /** T: the last flit of a frame. */
    public boolean tail() {
        return field(60, 1) == 1;
    }

    public FlitHeader tail(boolean value) {
        return field(60, 1, value ? 1 : 0);
    }

    /** VL: the virtual lane. */
    public int vl() {
        return field(56, 4);
    }

    public FlitHeader vl(int value) {
        return field(56, 4, value);
    }

    /** N: a damaged flit was received, send again from Acknowledgement on. */
    public boolean again() {
        return field(55, 1) == 1;
    }

    public FlitHeader again(boolean value) {
        return field(55, 1, value ? 1 : 0);
    }

    /** Size: bytes of payload after the header, at most {@link #PAYLOAD} in a valid flit. */
    public int size() {
        return field(48, 7);
    }

    public FlitHeader size(int value) {
        return field(48, 7, value);
    }

    /** CrVL: the lane whose credits are returned. */
    public int creditVl() {
        return field(44, 4);
    }

    public FlitHeader creditVl(int value) {
        return field(44, 4, value);
    }

    /** Credits: the number of flits for which buffers became free. */
    public int credits() {
        return field(40, 4);
    }

    public FlitHeader credits(int value) {
        return field(40, 4, value);
    }

    /** Sequence: the number of this flit, modulo {@link #SEQUENCES}. */
    public int sequence() {
        return field(28, 12);
    }

    public FlitHeader sequence(int value) {
        return field(28, 12, value);
    }

    /** Acknowledgement: the number of the next flit that is expected, modulo {@link #SEQUENCES}. */
    public int acknowledgement() {
        return field(16, 12);
    }

    public FlitHeader acknowledgement(int value) {
        return field(16, 12, value);
    }

    /** The error check of the flit. */
    public int crc() {
        return field(0, 16);
    }

    /** Computes the CRC over header and payload and writes it. */
    public FlitHeader seal() {
        return field(0, 16, computed());
    }

    /** Whether Size is possible, the payload is in {@code available} bytes, and the CRC is right. */
    public boolean intact(long available) {
        return fits(available) && size() <= PAYLOAD && available >= LENGTH + size() && crc() == computed();
    }

    private int computed() {
        int crc = sum(0xffff, 0, CRC);
        return ~sum(crc, LENGTH, size()) & 0xffff;
    }

    private int sum(int start, int from, int length) {
        int crc = start;
        for (int i = 0; i < length; i++) {
            crc ^= u8(from + i) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
            }
        }
        return crc & 0xffff;
    }

    /** Appends one line such as {@code DATA 5 HT VL0 40 B, 2 credits of VL0, expects 3}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(type());
        if (type() != FlitType.ACK) {
            out.append(' ').append(sequence());
        }
        if (type() == FlitType.DATA) {
            out.append(head() ? " H" : " -").append(tail() ? "T" : "-");
            out.append(" VL").append(vl()).append(' ').append(size()).append(" B");
        }
        if (credits() > 0) {
            out.append(", ").append(credits()).append(credits() == 1 ? " credit" : " credits");
            out.append(" of VL").append(creditVl());
        }
        return out.append(again() ? ", again from " : ", expects ").append(acknowledgement());
    }
}
