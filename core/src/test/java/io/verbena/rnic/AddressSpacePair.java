package io.verbena.rnic;

import static io.verbena.verbs.WrFlags.SIGNALLED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;

/** A pair of which B owns address spaces and pages them; A is the peer. For tests that {@link #start} it. */
@SuppressWarnings("NullAway.Init") // each test creates the objects that it requires
public abstract class AddressSpacePair {

    public static final int PAGE = 4096;
    public static final Path FILE = Path.of("data");

    public final ManualWorld world = new ManualWorld();
    protected Pair pair;
    public VirtualMemory memory;

    public ManualPaging start(PageTableKind kind, int frames) throws IOException {
        return start(kind, frames, RnicOptions.defaults());
    }

    ManualPaging start(PageTableKind kind, int frames, RnicOptions options) throws IOException {
        pair = new Pair(world, options, 1024, o -> o).connect();
        memory = pair.b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults()
                .withFrameBytes((long) frames * PAGE)
                .withTables(kind)
                .withReadAheadPages(0));
        return ManualEnvironment.of(pair.b.rnic).paging;
    }

    public byte[] file(int pages) {
        byte[] content = new byte[pages * PAGE];
        new SplittableRandom(7).nextBytes(content);
        ManualEnvironment.of(pair.b.rnic).paging.pages.put(FILE, content);
        return content;
    }

    @AfterEach
    void close() {
        world.close();
    }

    public byte[] read(RemoteRegion from, long offset, int length) {
        assertTrue(pair.a.queuePair.postRead(
                1, pair.a.memory, 0, length, from.address() + offset, from.rkey(), SIGNALLED));
        world.settle();
        world.advance(20_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        return pair.a.memory.segment().asSlice(0, length).toArray(JAVA_BYTE);
    }

    public void write(RemoteRegion to, long offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, pair.a.memory.segment(), JAVA_BYTE, 0, bytes.length);
        assertTrue(pair.a.queuePair.postWrite(
                1, pair.a.memory, 0, bytes.length, to.address() + offset, to.rkey(), SIGNALLED));
        world.settle();
        world.advance(20_000_000);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
    }

    public static byte[] slice(byte[] all, int from, int length) {
        return java.util.Arrays.copyOfRange(all, from, from + length);
    }

    public byte[] local(AddressSpace space, long address, int length) throws IOException {
        byte[] bytes = new byte[length];
        MemorySegment copy = Arena.ofAuto().allocate(length);
        space.read(address, copy, 0, length);
        MemorySegment.copy(copy, JAVA_BYTE, 0, bytes, 0, length);
        return bytes;
    }
}
