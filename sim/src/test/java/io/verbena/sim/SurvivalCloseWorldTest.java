package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connections that are closed while both sides have work outstanding, and whose transport fails after each step of the
 * close in turn. All work is complete, and both sides end as after a close without a failure.
 */
class SurvivalCloseWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SEEDS = Rounds.of(1, 20);
    private static final int REQUESTS = 20;

    /** Steps from one failure to the next one with a TCP of segments, which takes many more of them. */
    private static final int SEGMENT_STEPS = Rounds.of(21, 1);

    /** What carries the connections. */
    enum Carrier {
        STREAMS,
        SEGMENTS,
        SHARED_MEMORY,
        /** Packets of RoCE, beside whose stream the failure happens. */
        PACKETS
    }

    /** Which sides close the connection. */
    private enum Closer {
        CLIENT,
        SERVER,
        BOTH
    }

    /** How a stream fails. */
    private enum Failure {
        RESET,
        SILENCE,
        /** A FIN of a process between the sides, which only a stream of bytes can have. */
        END;

        void happen(Link link) {
            switch (this) {
                case RESET -> link.reset("by the test");
                case SILENCE -> link.silence("by the test");
                case END -> link.end("by the test");
            }
        }

        boolean possible(Carrier carrier) {
            return this != END || carrier == Carrier.STREAMS || carrier == Carrier.PACKETS;
        }
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @EnumSource(Carrier.class)
    void transportFailsAfterAnyStepOfTheClose_bothSidesClose(Carrier carrier) {
        Seeds.each(SEEDS, seed -> {
            for (Closer closer : Closer.values()) {
                for (Failure failure : Failure.values()) {
                    if (failure.possible(carrier)) {
                        failAfterEachStep(seed, carrier, closer, failure, false);
                        failAfterEachStep(seed, carrier, closer, failure, true);
                    }
                }
            }
        });
    }

    private static void failAfterEachStep(long seed, Carrier carrier, Closer closer, Failure failure, boolean twice)
            throws IOException {
        int step = 0;
        while (new Close(seed, carrier, closer, failure, twice, step).fails()) {
            step += carrier == Carrier.SEGMENTS ? SEGMENT_STEPS : 1;
        }
        assertTrue(step > 10, "steps: " + step);
    }

    /**
     * One close with a failure after a step.
     *
     * @param twice whether the next stream fails as well
     */
    private record Close(long seed, Carrier carrier, Closer closer, Failure failure, boolean twice, int failsAt) {

        private World world() {
            World world = new World(seed, Profile.CALM).withoutStates();
            return switch (carrier) {
                case SEGMENTS -> world.withSegments();
                case SHARED_MEMORY -> world.withSharedMemory();
                case STREAMS, PACKETS -> world;
            };
        }

        private RnicOptions options() {
            return carrier == Carrier.PACKETS
                    ? RnicOptions.defaults().withProvider("roce+iwarp")
                    : RnicOptions.defaults();
        }

        /** Runs to the end of the connection. Returns whether the failure happened before it. */
        boolean fails() throws IOException {
            try (World world = world()) {
                VirtualHost client = world.addHost(options());
                VirtualHost server = world.addHost(options());
                InetSocketAddress second = server.address(7472);
                Listener listener = server.rnic().listen(server.address(7471));
                server.rnic().listen(second);
                SurvivalProgram near = new SurvivalProgram(client, world.random(), REQUESTS);
                SurvivalProgram far = new SurvivalProgram(server, world.random(), REQUESTS);
                Connection from = client.rnic()
                        .startConnect(
                                near.queuePair,
                                listener.localAddress(),
                                ConnectionOptions.defaults().surviving(second));
                Connection to = listener.nextRequest(MINUTE)
                        .orElseThrow()
                        .startAccept(far.queuePair, ConnectionOptions.defaults().surviving());
                from.awaitEstablished(MINUTE);
                to.awaitEstablished(MINUTE);
                near.meet(far);
                far.meet(near);
                near.postLast();
                far.postLast();
                if (closer != Closer.SERVER) {
                    from.disconnect();
                }
                if (closer != Closer.CLIENT) {
                    to.disconnect();
                }
                return run(world, near, from, far, to);
            }
        }

        private boolean run(World world, SurvivalProgram near, Connection from, SurvivalProgram far, Connection to) {
            Link first = world.links().getLast();
            boolean late = failsAt % 2 == 1;
            boolean failedAgain = !twice;
            int steps = 0;
            while (!from.state().ended() || !to.state().ended()) {
                if (steps++ == failsAt) {
                    failure.happen(first);
                }
                Link newest = world.links().getLast();
                if (!failedAgain && newest != first && world.random().oneIn(8)) {
                    failedAgain = true;
                    failure.happen(newest);
                }
                step(world, near, far);
                if (late && world.random().oneIn(8)) {
                    (world.random().oneIn(2) ? near : far).postLate();
                }
            }
            while (!near.done() || !far.done()) {
                step(world, near, far);
            }
            near.check(toString());
            far.check(toString());
            if (!near.failedLate() && !far.failedLate()) {
                assertEquals(ConnectionState.CLOSED, from.state(), () -> this + ": " + from.reason());
                assertEquals(ConnectionState.CLOSED, to.state(), () -> this + ": " + to.reason());
            }
            return steps > failsAt;
        }

        private void step(World world, SurvivalProgram near, SurvivalProgram far) {
            assertTrue(world.step(), () -> this + ": nothing happens any more: " + near + ", " + far);
            near.pump();
            far.pump();
        }
    }
}
