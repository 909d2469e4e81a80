package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages of a size other than the system's, and a region that is closed while an access to it is delayed. Here the
 * delayed access waits for a page; the InfiniBand transport answers receiver not ready.
 */
class DelayedAccessTest {

    private static final Path FILE = Path.of("data");
    private static final int BYTES = 1 << 20;

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static VirtualMemory open(Pair pair, int pageBytes) {
        return pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults()
                .withPageBytes(pageBytes)
                .withFrameBytes(16L * pageBytes)
                .withReadAheadPages(0));
    }

    private static byte[] file(Pair pair) {
        byte[] content = new byte[BYTES];
        new SplittableRandom(42).nextBytes(content);
        ManualEnvironment.of(pair.b.rnic).paging.pages.put(FILE, content);
        return content.clone();
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 2048, 8192, 65_536})
    void pagesOfAnotherSizeThanTheSystems_everyByteIsExact(int pageBytes) throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 1024, o -> o).connect();
        byte[] model = file(pair);
        AddressSegment segment =
                open(pair, pageBytes).createAddressSpace("server").mapFile(FILE, 0, BYTES, true);
        MemoryRegion region = pair.b.domain.register(segment, 0, BYTES, REMOTE_READ, REMOTE_WRITE);
        SplittableRandom random = new SplittableRandom(pageBytes);
        for (int step = 0; step < 100; step++) {
            // Close to the end of a page.
            int length = 1 + random.nextInt(3000);
            int at = Math.clamp((1L + random.nextInt(BYTES / pageBytes)) * pageBytes - 1500L, 0, BYTES - length);
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            MemorySegment.copy(bytes, 0, pair.a.memory.segment(), JAVA_BYTE, 0, length / 2);
            System.arraycopy(bytes, 0, model, at, length / 2);
            pair.a.queuePair.postWrite(1, pair.a.memory, 0, length / 2, region.remote(), at, SIGNALLED);
            pair.a.queuePair.postRead(2, pair.a.memory, 4096, length, region.remote(), at, SIGNALLED);
            world.settle();
            world.advance(20_000_000);
            assertEquals(List.of("1 SUCCESS", "2 SUCCESS"), pair.a.polled());
            assertArrayEquals(
                    Arrays.copyOfRange(model, at, at + length),
                    pair.a.memory.segment().asSlice(4096, length).toArray(JAVA_BYTE));
        }
        region.close();
        segment.close();
        assertArrayEquals(
                model,
                ManualEnvironment.of(pair.b.rnic).paging.pages.content(FILE).orElse(new byte[0]));
    }

    @Test
    void regionClosedWhileASendWaitsForItsPage_endsAndGivesTheFramesBack() throws IOException {
        Pair pair = new Pair(world, RnicOptions.defaults(), 1024, o -> o).connect();
        file(pair);
        ManualPaging paging = ManualEnvironment.of(pair.b.rnic).paging;
        VirtualMemory memory = open(pair, 8192);
        AddressSegment segment = memory.createAddressSpace("server").mapFile(FILE, 0, BYTES, true);
        MemoryRegion region = pair.b.domain.register(segment, 0, BYTES, LOCAL_WRITE);
        pair.b.queuePair.postReceive(1, region, 100, 1000);
        paging.frozen = true;
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 1000, SIGNALLED);
        world.settle();
        assertEquals(List.of(), pair.b.polled());
        region.close();
        paging.frozen = false;
        world.settle();
        world.advance(20_000_000);
        // The work completes once, in error, and no byte was placed.
        assertEquals(1, pair.b.polled().size());
        assertFalse(region.valid());
        segment.close();
        assertEquals(16, memory.figures().freeFrames());
        assertEquals(0, memory.figures().waiting());
        assertEquals(0, paging.pages.stores());
    }
}
