package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.port.ShortMessages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short messages between bytes of a ring, and headers that no writer makes. */
class RingMessagesTest {

    private static final int RING = SharedLayout.LEAST_RING_BYTES;

    private final ByteBuffer in = ByteBuffer.allocateDirect(8192);
    private final ByteBuffer out = ByteBuffer.allocateDirect(8192);
    private ByteBuffer memory = ByteBuffer.allocateDirect(0);

    private RingWriter writer(int ringBytes) {
        memory = ByteBuffer.allocateDirect(SharedLayout.bytes(ringBytes)).order(ByteOrder.nativeOrder());
        return new RingWriter(memory, true, ringBytes);
    }

    private RingReader reader(int ringBytes) {
        return new RingReader(
                memory,
                false,
                ringBytes,
                new Borrower(SharedBlocks.NONE, memory, false),
                new DirectAccess(SharedBlocks.NONE, memory, false, false));
    }

    /** Counts bytes, so that each byte of the stream, in a message or not, is the next one of the count. */
    private static void count(ByteBuffer bytes, int length, long from) {
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) (from + i));
        }
    }

    private static void check(ByteBuffer bytes, int length, long from) {
        for (int i = 0; i < length; i++) {
            assertEquals((byte) (from + i), bytes.get(i));
        }
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @ValueSource(ints = {4096, 131_072})
    void messagesAndBytes_arriveInOrder(int ringBytes) throws IOException {
        Seeds.each(5, seed -> {
            try {
                mixture(new SplittableRandom(seed), ringBytes);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void mixture(SplittableRandom random, int ringBytes) throws IOException {
        RingWriter writer = writer(ringBytes);
        RingReader reader = reader(ringBytes);
        reader.takeMessages();
        long written = 0;
        long read = 0;
        for (int step = 0; step < 5000 || read < written; step++) {
            int kind = step < 5000 ? random.nextInt(4) : 2;
            if (kind < 2) {
                int want = kind == 0 ? 1 + random.nextInt(ShortMessages.MOST_BYTES) : 1 + random.nextInt(3000);
                count(in, want, written);
                if (kind == 0) {
                    written += writer.appendWhole(in, want, SharedLayout.MESSAGE) ? want : 0;
                } else {
                    written += writer.append(in, 0, want);
                    writer.publish();
                }
                writer.clearAhead();
                continue;
            }
            int got = reader.message(out);
            assertEquals(got > 0, got > 0 && reader.hasMessage());
            if (got > 0) {
                reader.messageTaken();
            } else {
                got = reader.read(out, 0, 1 + random.nextInt(4000));
            }
            check(out, got, read);
            read += got;
        }
        assertEquals(written, read);
        assertFalse(reader.hasBytes());
    }

    @Test
    void message_untilItIsTaken_isNextAndEndsReads() throws IOException {
        RingWriter writer = writer(RING);
        RingReader reader = reader(RING);
        reader.takeMessages();
        assertTrue(writer.appendWhole(in, 10, 0));
        assertTrue(writer.appendWhole(in, 20, SharedLayout.MESSAGE));
        assertFalse(reader.hasMessage());
        assertEquals(0, reader.message(out));
        assertEquals(4, reader.read(out, 0, 4));
        assertEquals(0, reader.message(out), "within a record of bytes");
        assertEquals(6, reader.read(out, 0, 100));
        assertTrue(reader.stopped());
        assertEquals(0, reader.read(out, 0, 100));
        assertTrue(reader.stopped(), "more is available");
        assertEquals(20, reader.message(out));
        assertEquals(20, reader.message(out));
        reader.messageTaken();
        assertEquals(0, reader.message(out));
        assertEquals(0, reader.read(out, 0, 100));
        assertFalse(reader.stopped());
    }

    /** A length with its flags, in the first header of a ring whose reader takes messages or not. */
    private boolean refused(int length, boolean takes) throws IOException {
        RingWriter ignored = writer(RING);
        RingReader reader = reader(RING);
        if (takes) {
            reader.takeMessages();
        }
        SharedLayout.store(memory, SharedLayout.ring(true, RING), SharedLayout.header(ignored.position(), length));
        if ((length & SharedLayout.LOAN) == 0 && takes && (length & 0xff) <= ShortMessages.MOST_BYTES) {
            return reader.message(out) == 0;
        }
        assertThrows(IOException.class, () -> reader.message(out));
        assertThrows(IOException.class, () -> reader.read(out, 0, 100));
        return true;
    }

    @Test
    void impossibleHeader_endsTheStream() throws IOException {
        assertFalse(refused(SharedLayout.MESSAGE | 56, true));
        assertFalse(refused(SharedLayout.MESSAGE | 1, true));
        assertTrue(refused(SharedLayout.MESSAGE | 8, false), "this side takes no messages");
        assertTrue(refused(SharedLayout.MESSAGE | 57, true), "longer than a message");
        assertTrue(refused(SharedLayout.MESSAGE | SharedLayout.LOAN | 40, true), "both kinds at once");
    }
}
