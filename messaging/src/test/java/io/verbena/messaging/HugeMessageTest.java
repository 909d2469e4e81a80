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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One message of many pieces between mapped files, of 20 MB unless {@code -Dverbena.huge=4294967297} asks for another size: 4 GiB
 * and a byte is more than an int holds, and takes as much room on the disk.
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
