package io.verbena.messaging.protocol;

import io.verbena.messaging.policy.Phase;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Acknowledgement of the receiver: address and key of its buffers, between a head and a tail flag.
 *
 * <pre>
 *  0            8         12      16        20         24             32            40    44         48      56
 *  | head (8)   | payload | slots | refusal | reserved | ring address | ring length | key | reserved | nonce | tail (8) |
 * </pre>
 *
 * @param request number of the request, from 1
 * @param payloadBytes largest payload of an element in these buffers
 * @param slots number of buffers
 * @param refusal why these are not the requested buffers
 * @param ring where the ring is
 */
public record Acknowledgement(int request, int payloadBytes, int slots, RefusalReason refusal, Ring ring) {

    /**
     * The ring of a receiver, for Writes of the sender.
     *
     * @param address address of the ring at the RNIC of the receiver
     * @param lengthBytes length of the ring
     * @param rkey key to the ring
     * @param nonce value from which the tail flags of elements are computed
     */
    public record Ring(long address, long lengthBytes, int rkey, long nonce) {}

    public static final int BYTES = 64;
    public static final int MAX_SLOTS = 1024;
    public static final int TAIL_OFFSET = 56;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long HEAD = 0x4143_4b48_0000_0000L;
    private static final long TAIL = 0x4143_4b54_0000_0000L;

    /** Head flag of the acknowledgement of a request. */
    public static long head(int request) {
        return HEAD ^ request & 0xffff_ffffL;
    }

    /** Tail flag, which depends on the content between the flags. */
    public static long tail(int request, long sum) {
        return (TAIL ^ request & 0xffff_ffffL) + sum;
    }

    /** Stores the acknowledgement with both flags. */
    public void write(MemorySegment memory, long offset) {
        memory.set(LONG, offset, head(request));
        memory.set(INT, offset + 8, payloadBytes);
        memory.set(INT, offset + 12, slots);
        memory.set(INT, offset + 16, refusal.ordinal());
        memory.set(INT, offset + 20, 0);
        memory.set(LONG, offset + 24, ring.address());
        memory.set(LONG, offset + 32, ring.lengthBytes());
        memory.set(INT, offset + 40, ring.rkey());
        memory.set(INT, offset + 44, 0);
        memory.set(LONG, offset + 48, ring.nonce());
        memory.set(LONG, offset + TAIL_OFFSET, tail(request, sum(memory, offset)));
    }

    /** Returns whether the tail flag of this request has arrived; the content between the flags has arrived then, too. */
    public static boolean complete(MemorySegment memory, long offset, int request) {
        return SlotLayout.flag(memory, offset + TAIL_OFFSET) == tail(request, sum(memory, offset));
    }

    /** Loads an acknowledgement that is {@link #complete}. */
    public static Acknowledgement read(MemorySegment memory, long offset, int request) {
        return new Acknowledgement(
                request,
                memory.get(INT, offset + 8),
                memory.get(INT, offset + 12),
                RefusalReason.of(memory.get(INT, offset + 16)),
                new Ring(
                        memory.get(LONG, offset + 24),
                        memory.get(LONG, offset + 32),
                        memory.get(INT, offset + 40),
                        memory.get(LONG, offset + 48)));
    }

    /** Returns whether the sizes are possible, which is all that a sender can check; a wrong key is detected when it is used. */
    public boolean possible() {
        return payloadBytes >= 1
                && payloadBytes <= Phase.MAX_PAYLOAD_BYTES
                && slots >= 1
                && slots <= MAX_SLOTS
                && ring.lengthBytes() == (long) slots * SlotLayout.strideBytes(payloadBytes);
    }

    private static long sum(MemorySegment memory, long offset) {
        long sum = 0;
        for (long at = offset + 8; at < offset + TAIL_OFFSET; at += 8) {
            sum = Long.rotateLeft(sum, 7) + memory.get(LONG, at);
        }
        return sum;
    }
}
