package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections with a standby, in virtual time. */
class StandbyWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final int SEEDS = Rounds.of(20, 400);
    private static final int REQUESTS = 300;
    private static final long MS = 1_000_000;
    private static final long MOST_GAP_NS = 200 * MS;

    /** Two hosts and a connection over the first of two addresses. */
    private static final class Scene implements AutoCloseable {
        final World world;
        final Listener second;
        final SurvivalProgram near;
        final SurvivalProgram far;
        final Connection from;
        final Connection to;

        Scene(long seed, RnicOptions options) throws IOException {
            world = new World(seed, Profile.CALM).withoutStates();
            VirtualHost client = world.addHost(options);
            VirtualHost server = world.addHost(options);
            InetSocketAddress first = server.address(7471);
            Listener listener = server.rnic().listen(first);
            second = server.rnic().listen(server.address(7472));
            near = new SurvivalProgram(client, world.random(), REQUESTS);
            far = new SurvivalProgram(server, world.random(), REQUESTS);
            SurvivalOptions survival =
                    SurvivalOptions.over(second.localAddress()).withStandby().withPatience(PATIENCE);
            ConnectionOptions connecting = ConnectionOptions.defaults().withSurvival(survival);
            from = client.rnic().startConnect(near.queuePair, first, connecting);
            to = listener.nextRequest(MINUTE).orElseThrow().startAccept(far.queuePair, connecting);
            from.awaitEstablished(MINUTE);
            to.awaitEstablished(MINUTE);
            near.meet(far);
            far.meet(near);
        }

        void run(BooleanSupplier until) {
            while (!until.getAsBoolean()) {
                near.pump();
                far.pump();
                assertTrue(world.step(), () -> "nothing happens any more: " + near + ", " + far);
            }
        }

        long changes() {
            return from.transportChanges().changes();
        }

        Link carrier() {
            return world.links().stream()
                    .filter(each -> each.openEnds() == 2)
                    .filter(each -> each.initiatorAddress().equals(from.localAddress()))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public void close() {
            world.close();
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void carrierGoesSilent_standbyAnswers_continuesThereInTime() {
        Seeds.each(SEEDS, seed -> {
            RnicOptions options = seed % 2 == 0
                    ? RnicOptions.defaults()
                    : RnicOptions.defaults().withProgress(Progress.INLINE);
            try (Scene scene = new Scene(seed, options)) {
                long cutAtNs = scene.world.nowNs() + scene.world.random().sizeNs(5 * MS);
                scene.run(() -> scene.world.nowNs() >= cutAtNs);
                long silentAtNs = scene.world.nowNs();
                scene.carrier().silence("by the test");
                scene.run(() -> scene.changes() > 0);
                long gapNs = scene.world.nowNs() - silentAtNs;
                assertTrue(gapNs <= MOST_GAP_NS, () -> "seed " + seed + "L: " + gapNs + " ns");
                scene.run(() -> scene.near.done() && scene.far.done());
                scene.near.check("seed " + seed + "L, client");
                scene.far.check("seed " + seed + "L, server");
                assertEquals(1, scene.changes(), () -> "seed " + seed + "L");
            }
        });
    }

    @Test
    void noAddressAnswers_isAskedLessAndLessOften() throws IOException {
        try (Scene scene = new Scene(1, RnicOptions.defaults())) {
            scene.run(() -> scene.near.done() && scene.far.done());
            scene.second.close();
            scene.world.runFor(Duration.ofMinutes(2).toNanos());
            int before = scene.world.links().size();
            scene.world.runFor(Duration.ofMinutes(10).toNanos());
            int asked = scene.world.links().size() - before;
            assertTrue(asked <= 10, () -> asked + " questions in 10 minutes");
            assertEquals(0, scene.changes());
        }
    }

    @Test
    void idle_standbyIsAskedEveryFiveSeconds_andNothingChanges() throws IOException {
        try (Scene scene = new Scene(1, RnicOptions.defaults())) {
            scene.run(() -> scene.near.done() && scene.far.done());
            int before = scene.world.links().size();
            scene.world.runFor(MINUTE.toNanos());
            int asked = scene.world.links().size() - before;
            assertTrue(asked >= 11 && asked <= 13, () -> asked + " questions in a minute");
            assertEquals(0, scene.changes());
        }
    }
}
