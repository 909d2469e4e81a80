package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sockets in virtual time over each medium, whose packets are lost, duplicated and reordered. Each stream arrives whole and in order, whatever
 * the sizes of writes, reads and buffers, and ends where its writer has ended it; over connections that break, a beginning of it arrives, and
 * both ends learn that the connection is lost.
 */
@Tag(Seeds.TAG)
class WorldSocketsTest {

    private static final int SEEDS = 4;
    private static final int CONNECTIONS = 3;
    private static final int LONGEST_STREAM = 60_000;

    /** Over shared memory, where buffers must grow to 64 KiB before large writes go straight to the peer. */
    private static final int LONGEST_SHARED_STREAM = 2_000_000;

    private static final int LONGEST_PIECE = 9_000;
    private static final int LONGEST_SHARED_PIECE = 100_000;

    /** Where streams carry a few bytes at a time, each byte costs events. */
    private static final int LONGEST_SLOW_STREAM = 1_500;

    private static final long STEP_NS = 200_000;
    private static final long LONGEST_NS = 900_000_000_000L;

    /** Two hosts, the sockets between them, and the work that they do in the background. */
    private static final class Run implements AutoCloseable {
        private final World world;
        private final SplittableRandom random;
        private final Queue<Runnable> background = new ArrayDeque<>();
        private final List<StreamNetwork> networks = new ArrayList<>();
        private final List<End> ends = new ArrayList<>();
        private final boolean breaks;
        private final boolean large;

        /** Bytes that passed through no send buffer, if the stream has not broken. */
        long placedBytes;

        Run(long seed, Medium medium, Profile profile) {
            world = medium.in(new World(seed, profile, Optional.empty()));
            random = new SplittableRandom(seed);
            breaks = profile.breaks();
            large = medium == Medium.SHARED_MEMORY;
        }

        private StreamNetwork network() {
            Progress progress = random.nextBoolean() ? Progress.INLINE : Progress.ENGINE_THREAD;
            StreamOptions options = StreamOptions.defaults()
                    .withMostBufferBytes(4096 << random.nextInt(6))
                    .withExtensions(random.nextBoolean());
            StreamNetwork network = new StreamNetwork(
                    world.addHost(StreamNetwork.options(RnicOptions.defaults(), options)
                                    .withProgress(progress))
                            .rnic(),
                    options,
                    background::add);
            networks.add(network);
            return network;
        }

        void run() throws IOException {
            StreamNetwork server = network();
            StreamNetwork client = network();
            StreamListener listener = server.listen(world.hosts().getFirst().address(7000), 16);
            for (int i = 0; i < CONNECTIONS; i++) {
                StreamSocket near = client.startConnect(listener.localAddress(), Optional.empty());
                if (!until(() -> (near.ready() & StreamSocket.CONNECTED) != 0) || !near.connected()) {
                    assertTrue(breaks, "the connection is not established");
                    continue;
                }
                accept(listener, near);
            }
            assertTrue(until(() -> ends.stream().allMatch(End::done)), () -> "streams do not end: " + ends);
            ends.forEach(End::check);
            for (End end : ends) {
                StreamFigures.Direction sent = end.socket.figures().sent();
                placedBytes += Math.max(0, 2 * sent.bytes() - sent.copiedBytes());
            }
            if (breaks) {
                // Without a keep-alive, what was written to a peer that vanished silently is kept until the flush
                // time-out.
                networks.forEach(network -> network.sockets().forEach(StreamSocket::discard));
            } else {
                ends.forEach(end -> end.socket.close());
            }
            assertTrue(
                    until(() -> networks.stream()
                            .allMatch(network -> network.sockets().isEmpty())),
                    () -> "sockets do not close: "
                            + networks.stream().map(StreamNetwork::sockets).toList());
        }

        /** Accepts the other end. One of an earlier connection that broke before its near end was established may come first. */
        private void accept(StreamListener listener, StreamSocket near) throws IOException {
            while (until(listener::ready)) {
                StreamSocket far = listener.accept().orElseThrow();
                if (port(far.remoteAddress()) == port(near.localAddress())) {
                    pair(near, far);
                    return;
                }
                assertTrue(breaks, () -> far + " is not the other end of " + near);
                far.discard();
            }
        }

        private static int port(Optional<SocketAddress> address) {
            return ((InetSocketAddress) address.orElseThrow()).getPort();
        }

        private void pair(StreamSocket near, StreamSocket far) {
            int longest = world.weather().grainBytes() > 0 ? LONGEST_SLOW_STREAM : LONGEST_STREAM;
            int piece = LONGEST_PIECE;
            if (large && longest == LONGEST_STREAM && random.nextBoolean()) {
                longest = LONGEST_SHARED_STREAM;
                piece = LONGEST_SHARED_PIECE;
            }
            int up = random.nextInt(longest);
            int down = random.nextInt(longest);
            End first = new End(near, new Pieces(random.split(), piece), up, down, breaks);
            End second = new End(far, new Pieces(random.split(), piece), down, up, breaks);
            first.peer = Optional.of(second);
            second.peer = Optional.of(first);
            ends.add(first);
            ends.add(second);
        }

        private boolean until(BooleanSupplier condition) throws IOException {
            long startNs = world.nowNs();
            while (!condition.getAsBoolean()) {
                if (world.nowNs() - startNs > LONGEST_NS) {
                    return false;
                }
                for (End end : ends) {
                    end.step();
                }
                while (!background.isEmpty()) {
                    background.remove().run();
                }
                world.runFor(STEP_NS);
            }
            return true;
        }

        @Override
        public void close() {
            networks.forEach(StreamNetwork::close);
            while (!background.isEmpty()) {
                background.remove().run();
            }
            world.close();
        }
    }

    /** Sizes of writes and reads. */
    private record Pieces(SplittableRandom random, int longest) {
        boolean now() {
            return random.nextBoolean();
        }

        int next() {
            return 1 + random.nextInt(longest);
        }
    }

    /** One end of a connection, and what it has written and read. */
    private static final class End {
        final StreamSocket socket;
        private final Pieces pieces;
        private final int writes;
        private final int reads;
        private final boolean mayBreak;
        private int written;
        private int read;
        private boolean shut;
        private boolean ended;
        private Optional<IOException> lost = Optional.empty();
        Optional<End> peer = Optional.empty();

        End(StreamSocket socket, Pieces pieces, int writes, int reads, boolean mayBreak) {
            this.socket = socket;
            this.pieces = pieces;
            this.writes = writes;
            this.reads = reads;
            this.mayBreak = mayBreak;
        }

        private static byte at(int position) {
            return (byte) (position ^ position >>> 8);
        }

        /** A write and a read of random sizes, or not. */
        void step() {
            try {
                if (lost.isEmpty() && pieces.now()) {
                    write();
                }
                if (lost.isEmpty() && !ended && pieces.now()) {
                    read();
                }
            } catch (IOException e) {
                lost = Optional.of(e);
            }
        }

        private void write() throws IOException {
            if (written < writes) {
                ByteBuffer source = ByteBuffer.allocate(Math.min(writes - written, pieces.next()));
                for (int i = 0; i < source.capacity(); i++) {
                    source.put(at(written + i));
                }
                written += socket.write(source.flip());
            } else if (!shut) {
                shut = true;
                socket.shutdownOutput();
            }
        }

        private void read() throws IOException {
            ByteBuffer target = ByteBuffer.allocate(pieces.next());
            int bytes = socket.read(target);
            ended = bytes < 0;
            for (int i = 0; i < bytes; i++, read++) {
                assertEquals(at(read), target.get(i), "byte " + read);
            }
        }

        /** Its streams have ended. If the peer vanished silently, an end that only reads cannot notice. */
        boolean done() {
            return lost.isPresent() || ended && shut || peerLost();
        }

        private boolean peerLost() {
            return peer.stream().anyMatch(other -> other.lost.isPresent());
        }

        void check() {
            if (lost.isPresent() || peerLost()) {
                assertTrue(
                        mayBreak,
                        () -> "lost: " + this + "; its peer: "
                                + peer.map(other -> other + ", " + other.lost.map(Throwable::getCause)));
            } else {
                assertEquals(reads, read, "the stream is whole");
            }
        }

        @Override
        public String toString() {
            return "%s wrote %d of %d, read %d of %d, %s".formatted(socket, written, writes, read, reads, lost);
        }
    }

    private static long one(Medium medium, Profile profile, long seed) throws IOException {
        try (Run run = new Run(seed, medium, profile)) {
            run.run();
            return run.placedBytes;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("over " + medium + ", profile " + profile + ": " + e.getMessage(), e);
        }
    }

    /** Returns the bytes that passed through no send buffer. */
    private static long seeds(Medium medium, Profile profile) throws IOException {
        LongAdder placedBytes = new LongAdder();
        Seeds.each(2 * SEEDS, seed -> placedBytes.add(one(medium, profile, seed)));
        return placedBytes.sum();
    }

    @ParameterizedTest
    @EnumSource
    void everyMedium_streamsArriveWholeAndInOrder(Medium medium) throws IOException {
        long placedBytes = seeds(medium, Profile.CALM);
        // A few seeds need not contain a large write.
        assertTrue(
                medium == Medium.SHARED_MEMORY ? !Seeds.recorded(2 * SEEDS) || placedBytes > 0 : placedBytes == 0,
                "large writes go straight to a peer that shares memory");
    }

    @ParameterizedTest
    @EnumSource(names = {"STREAMS", "SHARED_MEMORY"})
    void streamsTornAnywhere_arriveWholeAndInOrder(Medium medium) throws IOException {
        seeds(medium, Profile.TORN);
    }

    @ParameterizedTest
    @EnumSource(names = {"STREAMS", "SHARED_MEMORY"})
    void connectionsBreak_aBeginningArrivesAndBothEndsAreDone(Medium medium) throws IOException {
        seeds(medium, Profile.KILLED);
    }
}
