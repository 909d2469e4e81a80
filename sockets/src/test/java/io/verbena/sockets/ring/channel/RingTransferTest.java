package io.verbena.sockets.ring.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that go straight from a source of the program into a ring, and from there to a channel of the program. */
@Timeout(60)
class RingTransferTest {

    @TempDir
    private Path folder = Path.of(".");

    private OneProcess both;

    @BeforeEach
    void connect() throws IOException {
        both = OneProcess.established();
    }

    @AfterEach
    void end() throws IOException {
        both.close();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer read(RingSocket from, int most) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(most);
        from.read(new ByteBuffer[] {into}, 0, 1);
        return into.flip();
    }

    private FileChannel file(byte[] content) throws IOException {
        Path path = folder.resolve("content");
        Files.write(path, content);
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Through windows of all sizes, with reads and writes of other lengths between the transfers. */
    @Test
    void file_goesThroughTheRing_intoAChannel() throws IOException {
        byte[] content = bytes(3_000_000);
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        WritableByteChannel target = Channels.newChannel(got);
        SplittableRandom random = new SplittableRandom(1);
        try (FileChannel file = file(content)) {
            file.position(0);
            while (got.size() < content.length) {
                if (random.nextBoolean()) {
                    both.client().writeFrom(file::read, 1 + random.nextInt(100_000));
                } else {
                    ByteBuffer piece = ByteBuffer.allocate(random.nextInt(10_000));
                    long at = file.position();
                    file.read(piece, at);
                    file.position(at + both.client().write(new ByteBuffer[] {piece.flip()}, 0, 1));
                }
                if (random.nextBoolean()) {
                    both.server().readTo(target);
                } else {
                    ByteBuffer piece = read(both.server(), 1 + random.nextInt(20_000));
                    got.write(piece.array(), 0, piece.limit());
                }
            }
        }
        assertArrayEquals(content, got.toByteArray());
    }

    @Test
    void sourceWithoutBytes_orAtItsEnd_isReported() throws IOException {
        assertEquals(0, both.client().writeFrom(_ -> 0, 10));
        assertEquals(-1, both.client().writeFrom(_ -> -1, 10));
        assertEquals(0, both.server().available());
    }

    @Test
    void fullRing_doesNotReadTheSource() throws IOException {
        while (both.client().write(new ByteBuffer[] {ByteBuffer.allocate(OneProcess.RING)}, 0, 1) > 0) {
            Thread.onSpinWait();
        }
        assertEquals(0, both.client().writeFrom(_ -> fail("the source was read"), 10));
        assertTrue(both.client().figures().fullWrites() > 0);
    }

    private static int fail(String sentence) {
        throw new AssertionError(sentence);
    }

    /** What a source or target throws, or states wrongly, is that of the program: the stream goes on. */
    @Test
    void failingSourceOrTarget_leavesTheStreamAsItWas() throws IOException {
        assertThrows(
                IOException.class,
                () -> both.client()
                        .writeFrom(
                                space -> {
                                    space.put((byte) 1);
                                    throw new IOException("the disk has failed");
                                },
                                10));
        assertThrows(IllegalArgumentException.class, () -> both.client().writeFrom(_ -> 11, 10));
        assertEquals(
                2, both.client().writeFrom(space -> space.put(new byte[] {7, 8}).position(), 10));
        assertThrows(
                ReadOnlyBufferException.class,
                () -> both.server()
                        .readTo(target(arrived -> arrived.put((byte) 9).position())));
        assertThrows(IllegalArgumentException.class, () -> both.server().readTo(target(_ -> 3)));
        assertEquals(0, both.server().readTo(target(_ -> 0)));
        assertEquals(1, both.server().readTo(target(arrived -> arrived.get() - 6)));
        assertEquals(ByteBuffer.wrap(new byte[] {8}), read(both.server(), 10));
    }

    private interface Taking {
        int take(ByteBuffer from) throws IOException;
    }

    private static WritableByteChannel target(Taking taking) {
        return new WritableByteChannel() {
            @Override
            public int write(ByteBuffer source) throws IOException {
                return taking.take(source);
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void endOfTheStream_andReset_areThoseOfARead() throws IOException {
        WritableByteChannel target = Channels.newChannel(new ByteArrayOutputStream());
        assertEquals(0, both.server().readTo(target));
        both.client().writeFrom(space -> space.put(new byte[3]).position(), 10);
        both.client().shutdownOutput();
        assertEquals(3, both.server().readTo(target));
        assertEquals(-1, both.server().readTo(target));
        assertThrows(IOException.class, () -> both.client().writeFrom(_ -> fail("the source was read"), 10));
        both.client().abort();
        assertThrows(IOException.class, () -> both.client().readTo(target));
    }

    @Test
    void reset_isReadAfterTheBytes() throws IOException {
        WritableByteChannel target = Channels.newChannel(new ByteArrayOutputStream());
        both.client().writeFrom(space -> space.put(new byte[3]).position(), 10);
        both.client().abort();
        assertEquals(3, both.server().readTo(target));
        assertEquals(
                "Connection reset",
                assertThrows(IOException.class, () -> both.server().readTo(target))
                        .getMessage());
    }

    @Test
    void peerThatHasClosed_takesOnce_andThenFails() throws IOException {
        both.server().close();
        assertEquals(2, both.client().writeFrom(space -> space.put(new byte[2]).position(), 10));
        assertEquals(
                "Broken pipe",
                assertThrows(IOException.class, () -> both.client().writeFrom(_ -> 1, 10))
                        .getMessage());
    }

    @Test
    void peerThatReadsNoMore_takesEverything() throws IOException {
        both.server().shutdownInput();
        long all = 0;
        for (int i = 0; i < 100; i++) {
            all += both.client()
                    .writeFrom(space -> space.put(new byte[space.remaining()]).position(), 5_000);
        }
        assertEquals(500_000, all);
        assertEquals(-1, both.server().readTo(Channels.newChannel(new ByteArrayOutputStream())));
    }

    /** A mapped file that was truncated: TCP reports "Bad address", and the connection lives on. */
    @Test
    void truncatedBufferOfTheProgram_failsTheCall_andNotTheStream() throws IOException {
        byte[] content = bytes(64 * 1024);
        try (FileChannel file = file(content)) {
            ByteBuffer mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, content.length);
            file.truncate(0);
            assertEquals(
                    "Bad address",
                    assertThrows(IOException.class, () -> both.client().write(new ByteBuffer[] {mapped}, 0, 1))
                            .getMessage());
            assertFalse(both.client().wasReset());
        }
        both.client().write(new ByteBuffer[] {ByteBuffer.wrap(content, 0, 100)}, 0, 1);
        assertEquals(ByteBuffer.wrap(Arrays.copyOf(content, 100)), read(both.server(), 1_000));
    }
}
