package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fixture.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** F7, F8: the subnet manager changes routes while reliable connections without an alternate path carry traffic. */
class RerouteTest {

    private static final int SEEDS = 2;
    private static final long MOST_NS = 200_000_000;

    private static final SubnetManager.Options MANAGER =
            SubnetManager.Options.DEFAULT.withTimes(2_000_000, 50_000).withLanes(2);

    private static San network(String topology, long seed, double errors) {
        return San.managed(
                TopologySpecification.parse(topology),
                SanSettings.DEFAULT.with(
                        LinkSettings.DEFAULT.withLanes(2).withErrors(errors).withSeed(seed)),
                MANAGER);
    }

    /** Kills and restores switches and links of the spine at random while all endnodes send; the last change repairs everything. */
    private static long run(long seed) throws Exception {
        SeededNumbers random = new SeededNumbers(seed);
        String shape = random.nextInt(2) == 0 ? "leaf-spine:3x3,hosts=2" : "torus:3x3";
        try (San san = network(shape, seed, random.nextInt(3) == 0 ? 1e-4 : 0)) {
            VerbsTraffic traffic = new VerbsTraffic(
                    san,
                    6,
                    random.nextInt(2) == 0 ? VerbsPattern.RING : VerbsPattern.ALL_TO_ALL,
                    new VerbsLoad(8_192, 12, 4, 2));
            traffic.connect();
            traffic.start();
            int spine = shape.startsWith("leaf")
                    ? san.switchNumber("spine-" + random.nextInt(3)).orElseThrow()
                    : random.nextInt(9);
            int port = 1 + random.nextInt(3);
            boolean node = shape.startsWith("leaf") && random.nextInt(2) == 0;
            san.world().after(1 + random.nextInt(80_000), () -> {
                if (node) {
                    san.breakNode(spine);
                } else {
                    san.breakLink(spine, port);
                }
            });
            if (random.nextInt(2) == 0) {
                san.world().after(300_000 + random.nextInt(3_000_000), () -> {
                    if (node) {
                        san.repairNode(spine);
                    } else {
                        san.repairLink(spine, port);
                    }
                });
            }
            assertTrue(traffic.run(MOST_NS), shape + ": " + traffic.completed() + " of " + traffic.messages());
            assertEquals(0, traffic.failed(), shape);
            assertEquals(traffic.messages(), traffic.completed());
            return san.traceHash();
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void f8_linkOrSwitchFailsAndReturns_everyMessageOfRcArrivesOnceWithoutAlternatePath() throws Exception {
        Seeds.each(SEEDS, RerouteTest::run);
        assertEquals(run(1), run(1));
    }

    @Test
    void f8_linkOfAnotherPathFails_pathsThatStayLoseNothing() throws Exception {
        try (San san = network("leaf-spine:2x2,hosts=1", 1, 0)) {
            VerbsTraffic traffic = new VerbsTraffic(san, 2, VerbsPattern.RING, new VerbsLoad(4_096, 200, 8, 1));
            traffic.connect();
            traffic.start();
            Wiring wiring = san.fabric().wiring();
            int leaf = san.switchNumber("leaf-0").orElseThrow();
            int used =
                    wiring.local(wiring.output(wiring.port(leaf, 1), san.open(1).lid(0)));
            int other = used == 2 ? 3 : 2;
            san.world().after(20_000, () -> san.breakLink(leaf, other));
            san.world().after(600_000, () -> san.repairLink(leaf, other));
            assertTrue(traffic.run(MOST_NS));
            assertTrue(san.manager().orElseThrow().sweeps() >= 2, "sweeps");
            assertEquals(0, san.packetsLost());
        }
    }

    @Test
    void f8_switchRestarts_itsTablesAreWrittenAgain() throws Exception {
        try (San san = network("leaf-spine:2x1,hosts=2", 1, 0)) {
            VerbsTraffic traffic = new VerbsTraffic(san, 4, VerbsPattern.ALL_TO_ALL, new VerbsLoad(4_096, 60, 4, 1));
            traffic.connect();
            traffic.start();
            // The only spine: nothing between the leaves until it is back and configured.
            int spine = san.switchNumber("spine-0").orElseThrow();
            san.world().after(20_000, () -> san.breakNode(spine));
            san.world().after(900_000, () -> san.repairNode(spine));
            assertTrue(traffic.run(MOST_NS), traffic.completed() + " of " + traffic.messages());
            assertEquals(0, traffic.failed());
            assertTrue(san.packetsLost() > 0);
        }
    }

    @Test
    void f5_lanesOfTheManager_followTheServiceLevelOfAConnection() throws Exception {
        try (San san = San.managed(
                TopologySpecification.parse("leaf-spine:2x1,hosts=1"),
                SanSettings.DEFAULT.with(LinkSettings.DEFAULT.withLanes(4)),
                MANAGER.with(Routing.MINHOP).withLanes(4))) {
            boolean[] lanes = new boolean[4];
            san.fabric()
                    .observe((port, now, arrival, flit) ->
                            lanes[flit.data().lane()] |= flit.data().flit() != 0);
            VerbsTraffic traffic = new VerbsTraffic(san, 2, VerbsPattern.ALL_TO_ALL, new VerbsLoad(2_048, 4, 1, 2));
            traffic.connect();
            traffic.start();
            assertTrue(traffic.run(MOST_NS));
            assertTrue(lanes[0] && lanes[1], "service levels 0 and 1 have lanes of their own");
        }
    }
}
