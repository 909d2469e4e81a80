package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One message of many pieces: between mapped files, of 20 MB unless {@code -Dverbena.huge=4294967297} asks for another size, which
 * takes as much room on the disk; and of more than 4 GiB between memory that is a few megabytes again and again.
 */
class HugeMessageTest {

    private static final long BYTES = Long.getLong("verbena.huge", 20_000_001);
    private static final long STEP = Math.max(1, BYTES / 1000);

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource
    void messageOfManyPieces_arrivesWhole(RendezvousMode mode) {
        MessagingOptions options =
                MessagingOptions.defaults().withRendezvous(mode).withTimeout(Duration.ofMinutes(2));
        Ranks.run(2, options, world -> {
            MemorySegment message = map(mode + "-" + world.rank());
            if (world.rank() == 0) {
                for (long at = 0; at < BYTES; at += STEP) {
                    message.set(ValueLayout.JAVA_BYTE, at, value(at));
                }
                message.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 77);
                world.send(message, 1, 0);
            } else {
                Status status = world.recv(message, 0, 0);
                assertEquals(BYTES, status.count());
                for (long at = 0; at < BYTES - 1; at += STEP) {
                    assertEquals(value(at), message.get(ValueLayout.JAVA_BYTE, at), "byte " + at);
                }
                assertEquals((byte) 77, message.get(ValueLayout.JAVA_BYTE, BYTES - 1));
            }
            world.barrier();
        });
    }

    @ParameterizedTest
    @EnumSource
    @EnabledOnOs(OS.LINUX)
    void messageOfMoreThan4GiB_arrivesWhole(RendezvousMode mode) {
        long bytes = (4L << 30) + 5;
        MessagingOptions options =
                MessagingOptions.defaults().withRendezvous(mode).withTimeout(Duration.ofMinutes(2));
        try (FoldedMemory from = new FoldedMemory(bytes);
                FoldedMemory to = new FoldedMemory(bytes)) {
            MemorySegment fold = from.segment().asSlice(0, FoldedMemory.FOLD_BYTES);
            for (long at = 0; at < fold.byteSize(); at += Integer.BYTES) {
                fold.set(ValueLayout.JAVA_INT, at, (int) at);
            }
            Ranks.run(2, options, world -> {
                if (world.rank() == 0) {
                    world.send(from.segment(), 0, bytes, 1, 0);
                } else {
                    Status status = new Status();
                    world.recv(to.segment(), 0, bytes, 0, 0, status);
                    assertEquals(bytes, status.count());
                }
                world.barrier();
            });
            assertEquals(-1, to.segment().asSlice(0, FoldedMemory.FOLD_BYTES).mismatch(fold));
        }
    }

    private static byte value(long at) {
        return (byte) (1 + at / STEP % 100);
    }

    /** A file without content: only what is written takes room. */
    private MemorySegment map(String name) {
        try (FileChannel file = FileChannel.open(
                folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
