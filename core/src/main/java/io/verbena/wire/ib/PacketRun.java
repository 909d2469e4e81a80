package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Packets of one length that continue a decoded one: each has the next PSN and the same BTH in all else but the
 * request for an acknowledgement, and a sum that is right. So their headers are compared with those of the packet
 * before and not decoded. A flyweight, which is used again for the next run.
 *
 * <pre>
 *   | decoded packet | 0 | 1 | 2 | ... | count - 1 |
 *   | RC_WRITE_ONLY, RC_WRITE_MIDDLE, RC_SEND_ONLY or RC_SEND_MIDDLE, as long as the first |
 * </pre>
 */
public final class PacketRun {

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int ADDRESS = Bth.LENGTH;
    private static final int KEY = Bth.LENGTH + Reth.LENGTH - 2 * Integer.BYTES;
    private static final int DMA_LENGTH = Bth.LENGTH + Reth.LENGTH - Integer.BYTES;
    private static final int PSN = 0xff_ffff;

    private MemorySegment segment = MemorySegment.NULL;
    private IbOpcode opcode = IbOpcode.RESERVED;
    private boolean solicited;
    private long first;
    private int lengthBytes;
    private int payloadBytes;
    private int count;

    /** Whether packets can continue this one. */
    public static boolean mayFollow(IbPacket packet) {
        return switch (packet.opcode()) {
            case RC_WRITE_ONLY, RC_WRITE_MIDDLE, RC_SEND_ONLY, RC_SEND_MIDDLE -> !packet.sprayed();
            default -> false;
        };
    }

    /**
     * Takes the packets that continue one, up to the first that does not. Returns their number.
     *
     * @param packet is followed by {@code most} packets of its length and flow
     * @param bytes the memory that contains all of them
     * @param identification of IPv4 of the first one after the packet; that of each other is the next number
     */
    public int follow(IbPacket packet, ByteBuffer bytes, int most, Icrc icrc, Icrc.Flow flow, int identification) {
        segment = packet.segment();
        opcode = packet.opcode();
        solicited = packet.bth().se();
        lengthBytes = packet.lengthBytes();
        payloadBytes = packet.payloadBytes();
        first = packet.offset() + lengthBytes;
        long head = Bth.head(segment, packet.offset());
        int psn = packet.bth().psn();
        int summed = lengthBytes - Icrc.LENGTH;
        int taken = 0;
        while (taken < most) {
            long at = at(taken);
            if (Bth.head(segment, at) != head
                    || psn(taken) != (psn + taken + 1 & PSN)
                    || Icrc.read(segment, at + summed)
                            != icrc.compute(bytes, (int) at, summed, flow, identification + taken)) {
                break;
            }
            taken++;
        }
        count = taken;
        return taken;
    }

    private long at(int index) {
        return first + (long) index * lengthBytes;
    }

    public int count() {
        return count;
    }

    /** The opcode of all packets. */
    public IbOpcode opcode() {
        return opcode;
    }

    /** Whether they are marked as solicited. */
    public boolean solicited() {
        return solicited;
    }

    /** The memory that contains the packets. */
    public MemorySegment segment() {
        return segment;
    }

    /** Length of the payload of each, without padding. */
    public int payloadBytes() {
        return payloadBytes;
    }

    public int psn(int index) {
        return Bth.tail(segment, at(index)) & PSN;
    }

    /** Whether the sender of a packet requests an acknowledgement. */
    public boolean asksForAck(int index) {
        return Bth.tail(segment, at(index)) < 0;
    }

    public long payloadOffset(int index) {
        return at(index) + opcode.headerBytes();
    }

    // The RETH, of RC_WRITE_ONLY.

    public long address(int index) {
        return segment.get(U64, at(index) + ADDRESS);
    }

    public int key(int index) {
        return segment.get(U32, at(index) + KEY);
    }

    /** Length of the message, unsigned. */
    public long dmaLength(int index) {
        return Integer.toUnsignedLong(segment.get(U32, at(index) + DMA_LENGTH));
    }
}
