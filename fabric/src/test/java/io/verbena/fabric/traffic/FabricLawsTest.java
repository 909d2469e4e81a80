package io.verbena.fabric.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.Organisation;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import org.junit.jupiter.api.Test;

/**
 * Laws of networks that do not depend on an implementation. {@code -Dverbena.seeds=N} runs N seeds and expects their mean
 * within 2 %; one seed runs in the build.
 */
class FabricLawsTest {

    /** One tick per flit, credits and acknowledgements on wires of their own: the slots of the theory. */
    private static final LinkTiming SLOTS = new LinkTiming(1, 0, 0);

    private static final SwitchSettings IMMEDIATE = SwitchSettings.DEFAULT.withDelay(0);
    private static final int SEEDS = Math.max(1, Integer.getInteger("verbena.seeds", 1));

    /** M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division packet switch", 1987, table I. */
    @Test
    void inputQueues_saturatedUniform_throughputIsTheHeadOfLineLimit() {
        double[] limit = {0, 1, .7500, .6825, .6553, .6399, .6302, .6234, .6184};
        for (int n = 2; n <= 16; n = n < 8 ? n + 1 : n * 2) {
            double accepted = 0;
            for (int seed = 1; seed <= SEEDS; seed++) {
                Traffic traffic = new Traffic(
                        Layouts.star(n, SLOTS),
                        LinkSettings.DEFAULT.withBuffer(32).withSeed(seed),
                        IMMEDIATE,
                        Pattern.uniformWithSelf(n),
                        Load.of(Load.BACKLOGGED, 8 * 64),
                        Traffic.Levels.ZERO);
                traffic.warmUp(1_000);
                traffic.run(400_000 / n);
                accepted += traffic.accepted() / SEEDS;
            }
            if (n < limit.length) {
                assertEquals(limit[n], accepted, .02 * limit[n], "N = " + n);
            } else {
                assertTrue(accepted > .586 && accepted < limit[8], "N = " + n + ": " + accepted);
            }
        }
    }

    /** The same source: mean wait (N-1)/N * p / (2 (1-p)). */
    @Test
    void outputQueues_uniform_meanWaitIsThatOfTheTheory() {
        int n = 16;
        for (double p : new double[] {.5, .8, .9}) {
            double wait = 0;
            for (int seed = 1; seed <= SEEDS; seed++) {
                Traffic traffic = new Traffic(
                        Layouts.star(n, SLOTS),
                        LinkSettings.DEFAULT.withBuffer(256).withSeed(seed),
                        IMMEDIATE.with(Organisation.OUTPUT_QUEUES),
                        Pattern.uniformWithSelf(n),
                        Load.of(p, 64),
                        Traffic.Levels.ZERO);
                traffic.warmUp(1_000);
                traffic.run(40_000);
                wait += (traffic.latencies().mean() - 2) / SEEDS;
            }
            double expected = (n - 1.0) / n * p / (2 * (1 - p));
            assertEquals(expected, wait, .02 * expected, "p = " + p);
        }
    }

    /** N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999: no loss of throughput under uniform traffic. */
    @Test
    void f6_virtualOutputQueues_saturatedUniform_islipUsesTheWholeLink() {
        Traffic traffic = new Traffic(
                Layouts.star(8, SLOTS),
                LinkSettings.DEFAULT.withBuffer(32_768),
                IMMEDIATE.with(Organisation.VIRTUAL_OUTPUT_QUEUES),
                Pattern.uniformWithSelf(8),
                Load.of(Load.BACKLOGGED, 64),
                Traffic.Levels.ZERO);
        traffic.warmUp(20_000);
        traffic.run(20_000);
        assertTrue(traffic.accepted() >= .99, "accepted " + traffic.accepted());
    }

    /** A sender with b credits sends b flits per round trip. */
    @Test
    void f3_link_withFewBuffers_throughputIsBuffersPerRoundTrip() {
        for (int buffers = 1; buffers <= 10; buffers++) {
            // A round trip of 16 ticks is 8 flits.
            Traffic traffic = pair(new LinkTiming(2, 0, 7), LinkSettings.DEFAULT.withBuffer(buffers));
            traffic.warmUp(1_600);
            traffic.run(16_000);
            assertEquals(Math.min(1, buffers / 8.0), traffic.accepted() * 2, .002, buffers + " buffers");
        }
    }

    /** Go-back-N: every damaged flit costs the window, (1-p) / (1-p+pW) of the link is useful. */
    @Test
    void f4_link_withErrors_throughputIsThatOfGoBackN() {
        goBackN(.01, 32, 123);
        goBackN(.05, 8, 27);
    }

    private static void goBackN(double p, int window, int wireTicks) {
        double useful = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            Traffic traffic = pair(
                    new LinkTiming(8, 1, wireTicks),
                    LinkSettings.DEFAULT.withBuffer(512).withSeed(seed));
            traffic.fabric().errors(traffic.fabric().wiring().port(0, 1), p);
            traffic.warmUp(8_000);
            traffic.run(8 * 150_000);
            useful += 2 * traffic.accepted() / SEEDS;
        }
        double expected = (1 - p) / (1 - p + p * window);
        assertEquals(expected, useful, .02 * expected, "p = " + p);
    }

    /** Two adapters and a link; the first one sends all the time. */
    private static Traffic pair(LinkTiming timing, LinkSettings settings) {
        Wiring wiring = new Wiring();
        wiring.connect(wiring.addAdapter(1), 1, wiring.addAdapter(1), 1, timing);
        return new Traffic(
                wiring, settings, IMMEDIATE, Pattern.incast(1), Load.of(Load.BACKLOGGED, 64 * 64), Traffic.Levels.ZERO);
    }

    /** J. Kim and others, "Technology-driven, highly-scalable dragonfly topology", 2008: one link carries what a group sends. */
    @Test
    void dragonfly_worstCaseMinimalRoutes_throughputIsOneLinkPerGroup() {
        Traffic traffic = new Traffic(
                Layouts.dragonfly(SLOTS, 2, 4, 2),
                LinkSettings.DEFAULT.withLanes(2).withBuffer(32),
                IMMEDIATE,
                Pattern.nextGroup(72, 8),
                Load.of(.5, 64),
                Traffic.Levels.ZERO);
        traffic.warmUp(2_000);
        traffic.run(3_000);
        assertEquals(.125, traffic.accepted(), .02 * .125);
    }

    @Test
    void mesh_uniform_loadOfTheBisectionIsTwiceTheRateAndBoundsThroughput() {
        Wiring wiring = Layouts.mesh(SLOTS, 8, 8);
        Traffic traffic = uniform(wiring, .2, 1, Traffic.Levels.ZERO);
        traffic.run(20_000);
        assertEquals(.2 / .5, forwardLoad(traffic, 3, 20_000), .02 * .4);
        Traffic saturated = uniform(wiring, 1, 1, Traffic.Levels.ZERO);
        saturated.warmUp(1_000);
        saturated.run(1_000);
        assertTrue(saturated.accepted() < .5 && saturated.accepted() > .25, "accepted " + saturated.accepted());
    }

    @Test
    void torus_uniform_loadOfEveryLinkIsTheRateAndBoundsThroughput() {
        Wiring wiring = Layouts.torus(SLOTS, 8, 8);
        Traffic.Levels levels = (from, to) -> Layouts.torusLevel(from, to, 8, 8);
        Traffic traffic = uniform(wiring, .3, 2, levels);
        traffic.run(10_000);
        double sum = 0;
        for (int column = 0; column < 8; column++) {
            sum += forwardLoad(traffic, column, 10_000) / 8;
        }
        assertEquals(.3, sum, .02 * .3);
        Traffic saturated = uniform(wiring, 1, 2, levels);
        saturated.warmUp(1_000);
        saturated.run(1_000);
        assertTrue(saturated.accepted() < 1 && saturated.accepted() > .4, "accepted " + saturated.accepted());
        assertTrue(saturated.fabric().deadlock().isEmpty());
    }

    private static Traffic uniform(Wiring wiring, double rate, int lanes, Traffic.Levels levels) {
        return new Traffic(
                wiring,
                LinkSettings.DEFAULT.withLanes(lanes).withBuffer(16),
                IMMEDIATE,
                Pattern.uniformWithSelf(64),
                new Load(rate, 64, 100),
                levels);
    }

    /** Mean use of the links from one column of switches of an 8x8 grid to the next. */
    private static double forwardLoad(Traffic traffic, int column, long ticks) {
        long flits = 0;
        for (int row = 0; row < 8; row++) {
            int port = traffic.fabric().wiring().port(8 * row + column, 2);
            flits += traffic.fabric().counters().flitsSent(port);
        }
        return flits / 8.0 / ticks;
    }
}
