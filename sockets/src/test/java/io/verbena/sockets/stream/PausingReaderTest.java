package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A reader pauses for hours, in virtual time: nothing that was written is lost, and a writer that has closed is done at once. */
class PausingReaderTest {

    private static final long STEP_NS = 200_000;
    private static final long PAUSE_NS = Duration.ofHours(3).toNanos();
    private static final long STOPPED_NS = Duration.ofMinutes(10).toNanos();
    private static final long LONGEST_NS = Duration.ofMinutes(1).toNanos();

    /** Less than the connecting side waits. */
    private static final long LATE_NS = Duration.ofSeconds(8).toNanos();

    /** What a close may take: some round trips. */
    private static final long CLOSE_NS = Duration.ofSeconds(2).toNanos();

    /** Two hosts, and the work that they do in the background. */
    private static final class Hosts implements AutoCloseable {
        private final World world;
        private final Queue<Runnable> background = new ArrayDeque<>();
        final StreamNetwork server;
        final StreamNetwork client;
        private final StreamListener listener;

        Hosts(Medium medium, StreamOptions options) throws IOException {
            world = medium.in(new World(1, Profile.CALM, Optional.empty()));
            server = network(options);
            client = network(options);
            listener = server.listen(world.hosts().getFirst().address(7000), 16);
        }

        private StreamNetwork network(StreamOptions options) {
            return new StreamNetwork(
                    world.addHost(StreamNetwork.options(RnicOptions.defaults(), options))
                            .rnic(),
                    options,
                    background::add);
        }

        boolean until(BooleanSupplier condition, long longestNs) {
            long startNs = world.nowNs();
            while (!condition.getAsBoolean()) {
                if (world.nowNs() - startNs > longestNs) {
                    return false;
                }
                step(STEP_NS);
            }
            return true;
        }

        private void step(long durationNs) {
            while (!background.isEmpty()) {
                background.remove().run();
            }
            world.runFor(durationNs);
        }

        /** The two ends of a connection. */
        StreamSocket[] connect() throws IOException {
            StreamSocket near = client.startConnect(listener.localAddress(), Optional.empty());
            assertTrue(until(() -> near.connected() && listener.ready(), LONGEST_NS));
            return new StreamSocket[] {near, listener.accept().orElseThrow()};
        }

        /** Writes until nothing is taken any more; returns the number of bytes. */
        int fill(StreamSocket socket) throws IOException {
            int all = 0;
            int taken = 1;
            for (int idle = 0; idle < 100; idle = taken == 0 ? idle + 1 : 0) {
                ByteBuffer source = ByteBuffer.allocate(1000);
                for (int i = 0; i < source.capacity(); i++) {
                    source.put(i, at(all + i));
                }
                taken = socket.write(source);
                all += taken;
                step(STEP_NS);
            }
            return all;
        }

        void readToTheEnd(StreamSocket socket, int bytes) throws IOException {
            ByteBuffer target = ByteBuffer.allocate(bytes + 1);
            int got = 0;
            for (long startNs = world.nowNs(); got >= 0; ) {
                assertTrue(world.nowNs() - startNs < LONGEST_NS, "the stream ends");
                got = socket.read(target);
                step(STEP_NS);
            }
            assertEquals(bytes, target.position());
            for (int i = 0; i < bytes; i++) {
                assertEquals(at(i), target.get(i));
            }
        }

        private static byte at(int position) {
            return (byte) (position * 31 + (position >>> 8));
        }

        @Override
        public void close() {
            server.close();
            client.close();
            step(STEP_NS);
            world.close();
        }
    }

    private static StreamOptions options() {
        return StreamOptions.defaults().withMostBufferBytes(32 << 10);
    }

    /** The thread that answers has the processor late. */
    @ParameterizedTest
    @EnumSource
    void requestIsAnsweredLate_connectionIsEstablished(Medium medium) throws IOException {
        try (Hosts hosts = new Hosts(medium, options())) {
            StreamSocket near = hosts.client.startConnect(hosts.listener.localAddress(), Optional.empty());
            hosts.world.runFor(LATE_NS);
            assertTrue(hosts.until(() -> near.connected() && hosts.listener.ready(), LONGEST_NS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void writerCloses_readerPauses_everythingArrivesAndTheWriterIsDone(Medium medium) throws IOException {
        try (Hosts hosts = new Hosts(medium, options())) {
            StreamSocket[] ends = hosts.connect();
            int bytes = hosts.fill(ends[0]);
            assertTrue(bytes > 4096, bytes + " bytes");
            ends[0].close();
            assertTrue(
                    hosts.until(() -> hosts.client.sockets().isEmpty(), CLOSE_NS),
                    () -> "not closed: " + hosts.client.sockets());
            hosts.step(PAUSE_NS);
            hosts.readToTheEnd(ends[1], bytes);
        }
    }

    /** The memory of all sockets of the reader is used up: the writer waits for it, and its socket lives until then. */
    @ParameterizedTest
    @EnumSource
    void writerCloses_readerHasNoMemoryAndPauses_everythingArrives(Medium medium) throws IOException {
        try (Hosts hosts = new Hosts(medium, options().withMostBytes(4096))) {
            StreamSocket[] ends = hosts.connect();
            int bytes = hosts.fill(ends[0]);
            ends[0].close();
            hosts.step(PAUSE_NS);
            hosts.readToTheEnd(ends[1], bytes);
            assertTrue(hosts.until(() -> hosts.client.sockets().isEmpty(), CLOSE_NS));
        }
    }

    /** Nothing but the pause: no keep-alive and no other time ends the connection. */
    @ParameterizedTest
    @EnumSource
    void bothPause_connectionRemains(Medium medium) throws IOException {
        try (Hosts hosts = new Hosts(medium, options())) {
            StreamSocket[] ends = hosts.connect();
            int bytes = hosts.fill(ends[0]);
            hosts.step(PAUSE_NS);
            ends[0].shutdownOutput();
            hosts.readToTheEnd(ends[1], bytes);
        }
    }

    /**
     * A debugger, SIGSTOP, a suspended machine: an idle connection, and one with bytes that are not acknowledged. By iWARP the kernel of
     * the peer continues, which virtual time does not have.
     */
    @ParameterizedTest
    @EnumSource(names = {"SHARED_MEMORY", "ROCE_GO_BACK_N", "ROCE_SELECTIVE"})
    void peerIsStopped_forTenMinutes_connectionsRemain(Medium medium) throws IOException {
        try (Hosts hosts = new Hosts(medium, options())) {
            StreamSocket[] idle = hosts.connect();
            StreamSocket[] busy = hosts.connect();
            hosts.world.hosts().getFirst().pause(STOPPED_NS);
            int bytes = hosts.fill(busy[0]);
            hosts.step(STOPPED_NS);
            busy[0].close();
            hosts.readToTheEnd(busy[1], bytes);
            bytes = hosts.fill(idle[1]);
            idle[1].close();
            hosts.readToTheEnd(idle[0], bytes);
        }
    }
}
