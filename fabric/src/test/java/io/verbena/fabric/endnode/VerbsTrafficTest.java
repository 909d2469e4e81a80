package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.topology.TopologySpecification;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reliable connections among many endnodes: contention, lanes by service level, damaged flits. */
class VerbsTrafficTest {

    private static final long SECOND = 1_000_000_000;

    private static long run(String topology, int nodes, VerbsPattern pattern, VerbsLoad load, long seed)
            throws Exception {
        LinkSettings link = LinkSettings.DEFAULT.withLanes(4).withErrors(1e-3).withSeed(seed);
        try (San san = San.of(TopologySpecification.parse(topology), SanSettings.DEFAULT.with(link))) {
            VerbsTraffic traffic = new VerbsTraffic(san, nodes, pattern, load);
            traffic.connect();
            traffic.start();
            assertTrue(traffic.run(SECOND), () -> traffic.completed() + " of " + traffic.messages());
            assertEquals(traffic.messages(), traffic.completed());
            assertEquals(0, san.packetsLost());
            assertTrue(resent(san) > 0);
            return san.traceHash();
        }
    }

    private static long resent(San san) {
        long resent = 0;
        for (int port = 0; port < san.fabric().wiring().ports(); port++) {
            resent += san.fabric().counters().flitsResent(port);
        }
        return resent;
    }

    @ParameterizedTest
    @EnumSource(VerbsPattern.class)
    void eightNodes_everyPattern_dataVerifiedAndSameTraceForSameSeed(VerbsPattern pattern) throws Exception {
        VerbsLoad load = new VerbsLoad(3_000, 6, 2, 4);
        assertEquals(
                run("leaf-spine:2x2,hosts=4", 8, pattern, load, 5), run("leaf-spine:2x2,hosts=4", 8, pattern, load, 5));
    }

    @Test
    void f6_sixtyFourNodesInAFatTree_incast_dataVerified() throws Exception {
        run("fat-tree:8", 64, VerbsPattern.INCAST, new VerbsLoad(4_096, 4, 4, 2), 1);
    }

    @Test
    void t1_sixtyFourNodesInAFatTree_ring_dataVerified() throws Exception {
        run("fat-tree:8", 64, VerbsPattern.RING, new VerbsLoad(8_192, 8, 4, 4), 2);
    }
}
