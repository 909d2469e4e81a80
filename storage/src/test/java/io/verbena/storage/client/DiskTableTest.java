package io.verbena.storage.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each operation of a disk, over each provider, with each use of keys. */
class DiskTableTest {
    private static final int BYTES = 4 << 20;

    static Stream<Arguments> ways() {
        return Stream.of("iwarp", "roce", "shm")
                .flatMap(provider -> Stream.of(KeyUse.values()).map(keys -> Arguments.of(provider, keys)));
    }

    private interface Body {
        void accept(Disk disk, byte[] model) throws IOException;
    }

    /** Runs a test on a disk with random contents, and compares the disk with the model. */
    private static void on(String provider, KeyUse keys, Body body) throws IOException {
        MemoryDevice device = new MemoryDevice(BYTES, 512);
        byte[] model = new byte[BYTES];
        new Random(1).nextBytes(model);
        try (DiskPair pair = new DiskPair(provider, List.of(device));
                DiskClient client = pair.connect(DiskOptions.defaults().withKeys(keys))) {
            Disk disk = client.disks().getFirst();
            assertEquals(BYTES, disk.bytes());
            disk.write(0, MemorySegment.ofArray(model)).join();
            body.accept(disk, model);
            byte[] contents = new byte[BYTES];
            disk.read(0, MemorySegment.ofArray(contents)).join();
            assertArrayEquals(model, contents);
        } finally {
            device.close();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void blocksOfAllSizes_written_areReadBack(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, model) -> {
            Random random = new Random(2);
            for (int blocks : new int[] {1, 2, 7, 8, 16, 17, 255, 256, 257, 511, 2048}) {
                byte[] data = new byte[blocks * 512];
                random.nextBytes(data);
                int first = random.nextInt(BYTES / 512 - blocks);
                disk.write(first, ByteBuffer.wrap(data)).join();
                System.arraycopy(data, 0, model, first * 512, data.length);
                ByteBuffer read = ByteBuffer.allocateDirect(data.length);
                disk.read(first, read).join();
                assertEquals(ByteBuffer.wrap(data), read);
            }
            disk.flush().join();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void requests_manyAtOnce_areAllExecuted(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, model) -> {
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            Random random = new Random(3);
            for (int i = 0; i < 200; i++) {
                byte[] data = new byte[512 * (1 + random.nextInt(40))];
                random.nextBytes(data);
                int first = i * 40;
                futures.add(disk.write(first, MemorySegment.ofArray(data)));
                System.arraycopy(data, 0, model, first * 512, data.length);
            }
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).join();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void otherOperations_onBlocks_haveTheirEffect(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, model) -> {
            MemorySegment some = MemorySegment.ofArray(model).asSlice(0, 1 << 20);
            assertTrue(disk.compare(0, some).join());
            assertFalse(disk.compare(1, some).join());
            disk.verify(0, disk.blocks()).join();
            disk.writeZeroes(3, 1000).join();
            MemorySegment.ofArray(model).asSlice(3 * 512, 1000 * 512).fill((byte) 0);
            disk.discard(5000, 100).join();
            byte[] discarded = new byte[100 * 512];
            disk.read(5000, MemorySegment.ofArray(discarded)).join();
            System.arraycopy(discarded, 0, model, 5000 * 512, discarded.length);
            disk.writeDurably(9, some).join();
            MemorySegment.copy(MemorySegment.ofArray(model.clone()), 0, MemorySegment.ofArray(model), 9 * 512, 1 << 20);
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void operations_thatAreUsedAgain_transferWithoutCopies(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, model) -> {
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            List<DiskOperation> operations = new ArrayList<>();
            try (DiskMemory memory = disk.allocate(1 << 20)) {
                for (int i = 0; i < 32; i++) {
                    CompletableFuture<Integer> future = new CompletableFuture<>();
                    futures.add(future);
                    operations.add(disk.operation(ended -> future.complete(ended.status())));
                    operations.get(i).read(i * 64L, memory, i * 32_768L, 32_768).submit();
                }
                for (CompletableFuture<Integer> future : futures) {
                    assertEquals(0, future.join());
                }
                MemorySegment expected = MemorySegment.ofArray(model).asSlice(0, 1 << 20);
                assertEquals(-1, expected.mismatch(memory.segment()));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void channel_anyOffsets_behavesAsAFile(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, model) -> {
            Random random = new Random(4);
            try (SeekableByteChannel channel = disk.channel()) {
                for (int i = 0; i < 60; i++) {
                    byte[] data = new byte[1 + random.nextInt(i % 10 == 0 ? 1_500_000 : 3000)];
                    random.nextBytes(data);
                    int at = random.nextInt(BYTES - data.length);
                    assertEquals(data.length, channel.position(at).write(ByteBuffer.wrap(data)));
                    System.arraycopy(data, 0, model, at, data.length);
                    assertEquals(at + data.length, channel.position());
                    ByteBuffer read = ByteBuffer.allocate(data.length);
                    channel.position(at);
                    while (read.hasRemaining()) {
                        assertTrue(channel.read(read) > 0);
                    }
                    assertArrayEquals(data, read.array());
                }
                assertEquals(-1, channel.position(BYTES).read(ByteBuffer.allocate(1)));
                channel.position(BYTES - 1);
                assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(2)));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void mistakes_ofTheProgram_areRefusedAtOnce(String provider, KeyUse keys) throws IOException {
        on(provider, keys, (disk, _) -> {
            MemorySegment block = MemorySegment.ofArray(new byte[512]);
            assertThrows(IndexOutOfBoundsException.class, () -> disk.read(disk.blocks(), block));
            assertThrows(IndexOutOfBoundsException.class, () -> disk.read(-1, block));
            assertThrows(IllegalArgumentException.class, () -> disk.read(0, block.asSlice(1)));
            assertThrows(IllegalArgumentException.class, () -> disk.read(0, block.asReadOnly()));
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment confined = arena.allocate(512);
                assertThrows(IllegalArgumentException.class, () -> disk.read(0, confined));
            }
            MemorySegment gone;
            try (Arena arena = Arena.ofShared()) {
                gone = arena.allocate(512);
            }
            CompletionException failure = assertThrows(
                    CompletionException.class, () -> disk.write(0, gone).join());
            assertInstanceOf(IllegalStateException.class, failure.getCause());
            assertEquals(0, block.get(ValueLayout.JAVA_BYTE, 0));
        });
    }
}
