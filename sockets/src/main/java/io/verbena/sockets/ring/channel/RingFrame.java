package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What both sides send on the TCP connection before the rings are used. Big endian. After them, the connection carries bytes without a meaning.
 *
 * <pre>
 *   0          8        24        32       36           40
 *   | VRBNRNGO | nonce  | process | handle | ring bytes |      the client offers memory that it has created
 *
 *   0          8        24        28  32
 *   | VRBNRNGA | nonce  | outcome | 0 |                        the server has opened it (0), or has not (1)
 * </pre>
 *
 * Each side writes its nonce to the memory, and the other one compares it there: so both use the same memory, and a server never writes to
 * memory that its peer only named.
 */
public final class RingFrame {

    /** Length of an offer. */
    public static final int OFFER_BYTES = 40;

    static final int ANSWER_BYTES = 32;

    /** What an offer begins with. */
    private static final byte[] OFFER_KEY = "VRBNRNGO".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] ANSWER_KEY = "VRBNRNGA".getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE_AT = 8;
    private static final int PROCESS_AT = 24;
    private static final int HANDLE_AT = 32;
    private static final int RING_BYTES_AT = 36;
    private static final int OUTCOME_AT = 24;

    private RingFrame() {}

    /** A nonce of 16 bytes. */
    record Nonce(long high, long low) {
        static Nonce at(ByteBuffer bytes, int at) {
            return new Nonce(bytes.getLong(at), bytes.getLong(at + Long.BYTES));
        }

        /** As {@link #equals}, which has the JVM write code when it is first called. */
        boolean is(Nonce other) {
            return high == other.high && low == other.low;
        }

        void put(ByteBuffer bytes, int at) {
            bytes.putLong(at, high).putLong(at + Long.BYTES, low);
        }
    }

    /**
     * An offer.
     *
     * @param process the process that has created the memory
     * @param handle names the memory there
     */
    record Offer(Nonce nonce, long process, int handle, int ringBytes) {
        byte[] bytes() {
            ByteBuffer frame = ByteBuffer.allocate(OFFER_BYTES).put(0, OFFER_KEY);
            nonce.put(frame, NONCE_AT);
            return frame.putLong(PROCESS_AT, process)
                    .putInt(HANDLE_AT, handle)
                    .putInt(RING_BYTES_AT, ringBytes)
                    .array();
        }

        static Offer of(byte[] bytes) {
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            return new Offer(
                    Nonce.at(frame, NONCE_AT),
                    frame.getLong(PROCESS_AT),
                    frame.getInt(HANDLE_AT),
                    frame.getInt(RING_BYTES_AT));
        }
    }

    /** Whether these bytes, as far as they are here, are those of an offer. */
    public static boolean beginsOffer(byte[] bytes) {
        int length = Math.min(bytes.length, OFFER_KEY.length);
        return Arrays.equals(bytes, 0, length, OFFER_KEY, 0, length);
    }

    /** Whether these are a whole offer, of a size that is permitted. */
    public static boolean isOffer(byte[] bytes) {
        return bytes.length == OFFER_BYTES
                && beginsOffer(bytes)
                && RingLayout.valid(Offer.of(bytes).ringBytes());
    }

    /** An answer. */
    record Answer(Nonce nonce, boolean opened) {
        byte[] bytes() {
            ByteBuffer frame = ByteBuffer.allocate(ANSWER_BYTES).put(0, ANSWER_KEY);
            nonce.put(frame, NONCE_AT);
            return frame.putInt(OUTCOME_AT, opened ? 0 : 1).array();
        }

        /** Of the bytes before the position, a whole answer. */
        static Answer of(ByteBuffer frame) {
            return new Answer(Nonce.at(frame, NONCE_AT), frame.getInt(OUTCOME_AT) == 0);
        }

        /** Whether the bytes before the position are an answer, as far as they are here. */
        static boolean begins(ByteBuffer frame) {
            byte[] there = new byte[Math.min(frame.position(), ANSWER_KEY.length)];
            frame.get(0, there);
            return Arrays.equals(there, 0, there.length, ANSWER_KEY, 0, there.length);
        }
    }
}
