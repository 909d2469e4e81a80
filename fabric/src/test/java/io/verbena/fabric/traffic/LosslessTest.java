package io.verbena.fabric.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.CreditLevels;
import io.verbena.fabric.link.LaneTables;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.node.Deadlock;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.Organisation;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import io.verbena.fixture.Seeds;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No frame is lost or reordered within its path, at any load and with damaged flits; what cannot move is reported. */
class LosslessTest {

    private static final int SEEDS = 20;

    @Tag(Seeds.TAG)
    @Test
    void f4_anyFabric_damagedFlits_everyFrameArrivesOnceAndInOrder() {
        Seeds.each(SEEDS, seed -> assertEquals(run(seed), run(seed), "hashes"));
    }

    /** Credits are lost although their flits arrive: senders notice it, and no frame is lost or waits forever. */
    @Tag(Seeds.TAG)
    @Test
    void f3_creditsLost_senderNoticesAndEveryFrameArrivesOnceAndInOrder() {
        Seeds.each(SEEDS, seed -> assertEquals(run(seed, true), run(seed, true), "hashes"));
    }

    /** Senders that were congested for a long time asked rarely, also when they lost credits afterwards. */
    @Test
    void f3_creditsLostAgainAndAgain_questionsDoNotBecomeRare() {
        run(17_400_050, true);
        run(435_424_304, true);
    }

    @Test
    void f3_halfOfAllCreditsLost_linkContinues() {
        Wiring wiring = Layouts.mesh(LinkTiming.DEFAULT, 3);
        Traffic traffic = new Traffic(
                wiring,
                LinkSettings.DEFAULT.withBuffer(16),
                SwitchSettings.DEFAULT,
                Pattern.uniform(3),
                Load.of(.3, 64),
                Traffic.Levels.ZERO);
        CreditLevels levels = traffic.fabric().creditLevels();
        for (int port = 0; port < wiring.ports(); port++) {
            levels.loss(port, .5);
        }
        traffic.run(1_000_000);
        assertTrue(levels.lost() > 1_000, "lost " + levels.lost());
        assertTrue(levels.restored() > levels.lost() * .9, "restored " + levels.restored() + " of " + levels.lost());
        assertTrue(
                traffic.finish(10_000_000), () -> "deadlock " + traffic.fabric().deadlock());
        assertEquals(0, traffic.outOfOrder());
        assertEquals(traffic.fabric().injected(), traffic.fabric().delivered());
    }

    /** A frame became the first of its queue in a tick whose match was done, and no other event followed. */
    @Test
    void virtualOutputQueues_lastFrameAfterTheMatch_isMatchedLater() {
        run(240_475_265);
    }

    /** The buffer was full of frames that waited for the rest of another one, and the last credits for it waited for others. */
    @Test
    void senderHasNoCredit_creditsThatAreOwed_returnAtOnce() {
        run(27_438_595);
        run(279_809_284);
    }

    private static long run(long seed) {
        return run(seed, false);
    }

    private static long run(long seed, boolean losesCredits) {
        SeededNumbers random = new SeededNumbers(seed);
        boolean torus = random.nextInt(2) == 0;
        LinkTiming timing = new LinkTiming(1 + random.nextInt(12), random.nextInt(2), random.nextInt(60));
        Wiring wiring = torus ? Layouts.torus(timing, 4, 3) : Layouts.mesh(timing, 3, 4);
        Organisation organisation = Organisation.values()[random.nextInt(torus ? 1 : 3)];
        int bytes = 1 + random.nextInt(1000);
        LinkSettings link = new LinkSettings(
                2 + random.nextInt(3),
                1 + random.nextInt(40),
                new double[] {1e-4, 1e-3, 1e-2, .2}[random.nextInt(4)],
                LaneTables.EQUAL,
                seed);
        Pattern pattern = switch (random.nextInt(4)) {
            case 0 -> Pattern.uniform(12);
            case 1 -> Pattern.permutation(12, random);
            case 2 -> Pattern.incast(5);
            default -> Pattern.allToAll(12);
        };
        Traffic traffic = new Traffic(
                wiring,
                link,
                SwitchSettings.DEFAULT.with(organisation).withDelay(random.nextInt(100)),
                pattern,
                new Load(random.nextInt(3) == 0 ? Load.BACKLOGGED : .05 + random.nextInt(90) / 100.0, bytes, 50),
                (a, b) -> torus ? Layouts.torusLevel(a, b, 4, 3) : (a + b) % link.lanes());
        Fabric fabric = traffic.fabric();
        for (int port = 0; losesCredits && port < wiring.ports(); port++) {
            fabric.creditLevels().loss(port, new double[] {1e-3, .05, .5}[random.nextInt(3)]);
        }
        traffic.run(2_000L * timing.flitTicks());
        String name = "seed " + seed;
        // Each credit that a buffer of one flit loses is a pause of some thousand flit times.
        assertTrue(
                traffic.finish(losesCredits ? 1_000_000_000 : 100_000_000),
                () -> name + " deadlock " + fabric.deadlock());
        assertEquals(fabric.injected(), fabric.delivered(), name);
        assertEquals(0, fabric.inFlight(), name);
        assertEquals(0, traffic.outOfOrder(), name);
        assertTrue(traffic.checksOrder() && fabric.injected() > 0, name);
        assertTrue(fabric.creditLevels().restored() <= fabric.creditLevels().lost(), name);
        return fabric.hash();
    }

    /** One lane in a ring with shortest ways: every buffer waits for the next one. */
    @Test
    void ringWithOneLane_tornado_deadlockIsReportedWithItsCycle() {
        for (int buffer : new int[] {8, 64}) {
            deadlock(buffer);
        }
    }

    private static void deadlock(int buffer) {
        Traffic traffic = ring(1, buffer);
        assertFalse(traffic.finish(1_000_000));
        List<Deadlock.Lane> cycle = traffic.fabric().deadlock();
        // Each switch's buffer of the ring waits for an output that the frame of its own adapter owns, which waits for
        // the next.
        for (int node = 0; node < 8; node++) {
            assertTrue(cycle.contains(new Deadlock.Lane(node, 3, 0)), cycle::toString);
        }
        assertTrue(traffic.fabric().inFlight() > 0);
    }

    @Test
    void f5_ringWithTwoLanes_tornado_noDeadlock() {
        Traffic traffic = ring(2, 8);
        assertTrue(traffic.fabric().deadlock().isEmpty());
        assertTrue(traffic.finish(1_000_000));
    }

    private static Traffic ring(int lanes, int buffer) {
        Traffic traffic = new Traffic(
                Layouts.torus(LinkTiming.DEFAULT, 8),
                LinkSettings.DEFAULT.withLanes(lanes).withBuffer(buffer),
                SwitchSettings.DEFAULT,
                Pattern.tornado(8),
                Load.of(Load.BACKLOGGED, 64 * 64),
                (from, to) -> Layouts.torusLevel(from, to, 8));
        traffic.run(100_000);
        return traffic;
    }

    /** A stream with a guaranteed rate keeps it, and its short delay, beside a lane that always has data. */
    @Test
    void f5_isochronousLane_besideFullLoad_keepsItsRate() {
        LaneTables tables = new LaneTables(
                List.of(),
                List.of(new LaneTables.Weight(0, 1)),
                LaneTables.UNLIMITED,
                List.of(new LaneTables.Isochronous(1, 10, 400)));
        Wiring wiring = Layouts.star(3, LinkTiming.DEFAULT);
        Traffic traffic = new Traffic(
                wiring,
                LinkSettings.DEFAULT.withLanes(2).withTables(tables),
                SwitchSettings.DEFAULT,
                Pattern.incast(2),
                Load.of(Load.BACKLOGGED, 640),
                (from, to) -> from);
        traffic.warmUp(40_000);
        long before = traffic.fabric().counters().flitsReceived(wiring.endports()[0]);
        long sentBefore = traffic.fabric().counters().flitsSent(wiring.endports()[1]);
        traffic.run(400_000);
        long isochronous = traffic.fabric().counters().flitsSent(wiring.endports()[1]) - sentBefore;
        assertEquals(0, before);
        // 10 flits in 400 ticks are a fifth of the link.
        assertTrue(Math.abs(isochronous - 10_000) <= 100, "flits " + isochronous);
        assertEquals(1, traffic.accepted() * 3, .01);
    }
}
