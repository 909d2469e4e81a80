package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers read and write a file many times as large as the frame pool, under seeds, against a model of its bytes. */
class PagedWorldTest {

    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int STEPS = 40;

    /** Over the other media: pages are the same there, and each step meets the medium. */
    private static final int STEPS_OF_OTHER_MEDIA = Rounds.of(10, 40);

    private static final int MEDIUM_SEEDS = 2;

    /** The seeds up to this one take as few steps: they show the variety of options and networks, the others many steps. */
    private static final int SHORT_SEEDS = 18;

    /** Virtual time after which no further step begins: some networks transfer a few bytes at a time (seed 17). */
    private static final long LONGEST_NS = 20_000_000_000L;

    /**
     * Number of events after which no further step begins: if each byte is a piece of its own, a step takes 180,000 of
     * them (seed 109).
     */
    private static final long MOST_EVENTS = 2_000_000;

    private static final int PAGE = 4096;
    private static final int BYTES = 160 * PAGE;
    private static final int MOST = 12_000;
    private static final Path FILE = Path.of("data");

    /** One peer: it uses one half of the file, so it reads what it has written. */
    private static final class Peer {
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final MemoryRegion memory;
        final QueuePair queuePair;
        final int from;

        Peer(VirtualHost host, VirtualHost server, ProtectionDomain domain, int from) throws IOException {
            this.from = from;
            cq = host.rnic().createCompletionQueue(64);
            cursor = cq.cursor();
            ProtectionDomain protectionDomain = host.rnic().allocateProtectionDomain();
            memory = protectionDomain.allocate(2 * MOST, AccessRight.LOCAL_WRITE);
            queuePair = protectionDomain.createQueuePair(QueuePairOptions.of(cq));
            try (Listener listener = server.rnic().listen(server.address(7471))) {
                Connection connection =
                        host.rnic().startConnect(queuePair, server.address(7471), ConnectionOptions.defaults());
                CompletionQueue other = server.rnic().createCompletionQueue(16);
                listener.nextRequest(PATIENCE).orElseThrow().accept(domain.createQueuePair(QueuePairOptions.of(other)));
                connection.awaitEstablished(PATIENCE);
            }
        }

        void complete(String where) {
            assertTrue(cursor.next() || cq.await(PATIENCE) && cursor.next(), where);
            assertTrue(cursor.ok(), () -> where + ": " + cursor.reason());
        }
    }

    /**
     * The later seeds once waited indefinitely for a page that was requested ahead; the last one has a step with many
     * events.
     */
    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 25), LongStream.of(54, 84, 102, 108, 114, 109));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void peersAndProgram_useAFileLargerThanThePool_byteByByteAsTheModelSays(long seed) throws IOException {
        serve(seed, new World(seed, profile(seed)), seed <= SHORT_SEEDS ? STEPS_OF_OTHER_MEDIA : STEPS);
    }

    /** Memory is not available while segments arrive in any order. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void peersAndProgram_overSegments_byteByByteAsTheModelSays(long seed) throws IOException {
        serve(seed, new World(seed, profile(seed)).withSegments(), STEPS_OF_OTHER_MEDIA);
    }

    /**
     * The same over each other medium: memory is not available while packets are lost, duplicated and reordered.
     */
    @Tag(Seeds.TAG)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STREAMS")
    void peersAndProgram_overEveryMedium_byteByByteAsTheModelSays(Medium medium) {
        Seeds.each(MEDIUM_SEEDS, seed -> {
            // Small pieces of streams are the subject of the tests above.
            Profile profile = medium.roce() && seed % 2 == 0 ? Profile.SLOW : Profile.CALM;
            World world = medium.in(new World(seed, profile)).withMostEvents(20 * MOST_EVENTS);
            serve(seed, world, STEPS_OF_OTHER_MEDIA);
        });
    }

    private static Profile profile(long seed) {
        return List.of(Profile.CALM, Profile.TORN, Profile.SLOW).get((int) (seed % 3));
    }

    private static void serve(long seed, World world, int steps) throws IOException {
        SimRandom random = world.random().fork(77);
        RnicOptions options = RnicOptions.defaults().withCrc(seed % 2 == 0).withEngines(1 + (int) (seed % 4) / 2);
        VirtualHost server = world.addHost(options);
        byte[] model = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            model[i] = (byte) random.nextInt(256);
        }
        server.paging().file(FILE, model);
        VirtualMemory memory = server.rnic()
                .openVirtualMemory(VirtualMemoryOptions.defaults()
                        .withFrameBytes(16 * PAGE)
                        .withReadAheadPages((int) (seed % 5))
                        .withPagers(1 + (int) (seed % 3))
                        .withTables(PageTableKind.values()[(int) (seed % 3)]));
        AddressSpace space = memory.createAddressSpace("server");
        AddressSegment segment = space.mapFile(FILE, 0, BYTES, true);
        ProtectionDomain domain = server.rnic().allocateProtectionDomain();
        MemoryRegion region = domain.register(segment, 0, BYTES, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        Peer[] peers = {
            new Peer(world.addHost(options), server, domain, 0),
            new Peer(world.addHost(options), server, domain, BYTES / 2 + 100)
        };
        // In proportion: the constants are for all steps.
        long endNs = world.nowNs() + LONGEST_NS * steps / STEPS;
        long mostEvents = MOST_EVENTS * steps / STEPS;
        int step = 0;
        for (; step < steps && world.nowNs() - endNs < 0 && world.eventCount() < mostEvents; step++) {
            int[] at = new int[2];
            int[] length = new int[2];
            for (int i = 0; i < 2; i++) {
                length[i] = 1 + random.nextInt(MOST);
                at[i] = peers[i].from + random.nextInt(BYTES / 2 - 100 - MOST);
                post(peers[i], region.remote(), at[i], length[i], model, random);
            }
            if (random.nextInt(4) == 0) {
                segment.swapOut((long) random.nextInt(150) * PAGE, 10 * PAGE);
            }
            for (int i = 0; i < 2; i++) {
                String where = "seed " + seed + " step " + step + " peer " + i;
                peers[i].complete(where);
                peers[i].complete(where);
                byte[] read = peers[i].memory.segment().asSlice(MOST, length[i]).toArray(JAVA_BYTE);
                assertArrayEquals(Arrays.copyOfRange(model, at[i], at[i] + length[i]), read, where);
            }
        }
        assertTrue(step < steps || memory.figures().evicted() > steps);
        region.close();
        segment.close();
        assertArrayEquals(model, server.paging().file(FILE));
        assertEquals(16, memory.figures().freeFrames());
        world.close();
    }

    /** A Write followed by a Read, which returns the written bytes. */
    private static void post(Peer peer, RemoteRegion region, int at, int length, byte[] model, SimRandom random) {
        int part = 1 + random.nextInt(length);
        for (int i = 0; i < part; i++) {
            model[at + i] = (byte) random.nextInt(256);
        }
        MemorySegment.copy(model, at, peer.memory.segment(), JAVA_BYTE, 0, part);
        assertTrue(peer.queuePair.postWrite(1, peer.memory, 0, part, region, at, WrFlags.SIGNALLED));
        assertTrue(peer.queuePair.postRead(2, peer.memory, MOST, length, region, at, WrFlags.SIGNALLED));
    }
}
