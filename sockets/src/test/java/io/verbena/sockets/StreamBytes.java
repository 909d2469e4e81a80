package io.verbena.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;

/** The bytes that tests send: each depends on its position in the stream, and they repeat after 16 MiB only. */
public final class StreamBytes {

    private static final int PERIOD = 1 << 24;
    private static final byte[] BYTES = new byte[PERIOD];

    static {
        for (int i = 0; i < PERIOD; i++) {
            BYTES[i] = at(i);
        }
    }

    private StreamBytes() {}

    public static byte at(long position) {
        return (byte) (position ^ position >>> 8 ^ position >>> 16);
    }

    /** Puts the bytes from a position of the stream on until the buffer is full. */
    public static void fill(ByteBuffer buffer, long position) {
        long next = position;
        while (buffer.hasRemaining()) {
            int from = (int) (next % PERIOD);
            int bytes = Math.min(buffer.remaining(), PERIOD - from);
            buffer.put(BYTES, from, bytes);
            next += bytes;
        }
    }

    /** The first bytes of the buffer are those from a position of the stream on. */
    public static void assertAre(ByteBuffer buffer, int bytes, long position) {
        for (int done = 0; done < bytes; ) {
            int from = (int) ((position + done) % PERIOD);
            int part = Math.min(bytes - done, PERIOD - from);
            int wrong = buffer.slice(done, part).mismatch(ByteBuffer.wrap(BYTES, from, part));
            assertEquals(-1, wrong, "wrong byte after " + (position + done));
            done += part;
        }
    }
}
