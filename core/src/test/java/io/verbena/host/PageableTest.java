package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real files, pagers and sockets. */
class PageableTest {

    private static final int PAGE = 4096;
    private static final int PAGES = 1000;

    @TempDir
    Path directory;

    private byte[] content = {};

    private Path file(int bytes) throws IOException {
        content = new byte[bytes];
        new SplittableRandom(5).nextBytes(content);
        return Files.write(directory.resolve("data"), content);
    }

    private static void connect(Rnic near, Site a, Rnic far, Site b) throws Exception {
        try (Listener listener = far.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var connection = near.startConnect(
                    a.queuePair, listener.localAddress(), io.verbena.verbs.ConnectionOptions.defaults());
            listener.nextRequest(Site.PATIENCE)
                    .orElseThrow()
                    .startAccept(b.queuePair, io.verbena.verbs.ConnectionOptions.defaults());
            connection.awaitEstablished(Site.PATIENCE);
        }
    }

    @ParameterizedTest
    @CsvSource({"ENGINE_THREAD, true, SHARED", "INLINE, false, FLAT", "ENGINE_THREAD, false, INVERTED"})
    void fileFarLargerThanThePool_readsAndWritesOfAPeer_areExact(Progress progress, boolean crc, PageTableKind kind)
            throws Exception {
        Path file = file(PAGES * PAGE + 123);
        RnicOptions options = RnicOptions.defaults().withProgress(progress).withCrc(crc);
        try (Rnic near = Rnic.open(options);
                Rnic far = Rnic.open(options);
                VirtualMemory memory = far.openVirtualMemory(VirtualMemoryOptions.defaults()
                        .withFrameBytes(64 * PAGE)
                        .withTables(kind))) {
            Site a = new Site(near);
            Site b = new Site(far);
            connect(near, a, far, b);
            AddressSpace space = memory.createAddressSpace("server");
            AddressSegment segment = space.mapFile(file, 0, content.length, true);
            MemoryRegion region =
                    b.domain.register(segment, 0, content.length, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < 300; i++) {
                int length = 1 + random.nextInt(20_000);
                int at = i == 0 ? content.length - length : random.nextInt(content.length - length);
                if (i % 3 == 0) {
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    MemorySegment.copy(bytes, 0, a.memory.segment(), ValueLayout.JAVA_BYTE, 0, length);
                    a.queuePair.postWrite(i, a.memory, 0, length, region.remote(), at, WrFlags.SIGNALLED);
                    System.arraycopy(bytes, 0, content, at, length);
                } else {
                    a.queuePair.postRead(i, a.memory, 0, length, region.remote(), at, WrFlags.SIGNALLED);
                }
                a.complete(i);
                if (i % 3 != 0) {
                    check(a.memory.segment(), at, length);
                }
            }
            assertTrue(memory.figures().evicted() > 100);
            // The last Writes may still be in transit to B's memory; a Read after them shows when they have arrived.
            a.queuePair.postRead(1000, a.memory, 0, 1, b.memory.remote(), 0, WrFlags.SIGNALLED);
            a.complete(1000);
            region.close();
            segment.close();
        }
        assertEquals(content.length, Files.size(file));
        assertArrayEquals(content, Files.readAllBytes(file));
    }

    private void check(MemorySegment found, int at, int length) {
        MemorySegment wanted = MemorySegment.ofArray(content).asSlice(at, length);
        long first = found.asSlice(0, length).mismatch(wanted);
        assertEquals(-1, first, () -> "byte " + (at + first) + " of the file");
    }

    @Test
    void swapOutGrowShrinkAndUnmap_whileAPeerReads_neverShowAWrongByte() throws Exception {
        Path file = file(PAGES * PAGE);
        RnicOptions options = RnicOptions.defaults().withEngines(2);
        try (Rnic near = Rnic.open(RnicOptions.defaults());
                Rnic far = Rnic.open(options);
                VirtualMemory memory =
                        far.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(128 * PAGE))) {
            Site a = new Site(near);
            Site b = new Site(far);
            connect(near, a, far, b);
            AddressSpace space = memory.createAddressSpace("server");
            AddressSegment segment = space.mapFile(file, 0, content.length, true);
            MemoryRegion region = b.domain.register(segment, 0, content.length, AccessRight.REMOTE_READ);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread trouble = Thread.ofPlatform().start(() -> disturb(space, segment, stop, failure));
            SplittableRandom random = new SplittableRandom(2);
            int depth = 8;
            for (int round = 0; round < 150; round++) {
                int[] at = new int[depth];
                for (int i = 0; i < depth; i++) {
                    at[i] = random.nextInt(content.length - 10_000);
                    a.queuePair.postRead(i, a.memory, i * 10_000L, 10_000, region.remote(), at[i], WrFlags.SIGNALLED);
                }
                for (int i = 0; i < depth; i++) {
                    a.complete(i);
                    check(a.memory.segment().asSlice(i * 10_000L, 10_000), at[i], 10_000);
                }
            }
            stop.set(true);
            trouble.join();
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
            region.close();
        }
        assertArrayEquals(content, Files.readAllBytes(file));
    }

    @Test
    void segmentShortenedAndLengthened_whileAPeerReadsItsLastPage_neverFailsTheRead() throws Exception {
        Path file = file(2 * PAGE);
        try (Rnic near = Rnic.open(RnicOptions.defaults());
                Rnic far = Rnic.open(RnicOptions.defaults());
                VirtualMemory memory =
                        far.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(16 * PAGE))) {
            Site a = new Site(near);
            Site b = new Site(far);
            connect(near, a, far, b);
            AddressSegment segment = memory.createAddressSpace("server").mapFile(file, 0, 2 * PAGE, true);
            MemoryRegion region = b.domain.register(segment, 0, 2 * PAGE, AccessRight.REMOTE_READ);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread resizer = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; !stop.get(); i++) {
                        segment.shrink(PAGE + 100 + i % 50);
                        segment.grow(2 * PAGE);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            for (int i = 0; i < 500; i++) {
                a.queuePair.postRead(i, a.memory, 0, PAGE + 100, region.remote(), 0, WrFlags.SIGNALLED);
                a.complete(i);
                check(a.memory.segment(), 0, PAGE + 100);
            }
            stop.set(true);
            resizer.join();
            assertEquals(null, failure.get());
            region.close();
        }
    }

    /** Evicts the frames during the read and fills them with other bytes. */
    private void disturb(
            AddressSpace space, AddressSegment segment, AtomicBoolean stop, AtomicReference<Throwable> failure) {
        SplittableRandom random = new SplittableRandom(3);
        MemorySegment other = Arena.ofAuto().allocate(32 * PAGE).fill((byte) 0x5a);
        try {
            while (!stop.get()) {
                segment.swapOut((long) random.nextInt(PAGES - 50) * PAGE, 50 * PAGE);
                AddressSegment scratch = space.map(16 * PAGE);
                space.write(scratch.address(), other, 0, 16 * PAGE);
                scratch.grow(32 * PAGE);
                space.write(scratch.address() + 16 * PAGE, other, 0, 16 * PAGE);
                scratch.shrink(4 * PAGE);
                scratch.close();
                MemorySegment copy = Arena.ofAuto().allocate(PAGE);
                int page = random.nextInt(PAGES);
                space.read(segment.address() + (long) page * PAGE, copy, 0, PAGE);
                check(copy, page * PAGE, PAGE);
            }
        } catch (Throwable e) {
            failure.set(e);
        }
    }
}
