package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fixture.Seeds;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Lrh;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** F7: one message over several ports and paths; the receiving queue pair restores the order. */
class StripingTest {

    private static final int SEEDS = 2;
    private static final long MOST_NS = 500_000_000;

    private static San network(String topology, int lmc, boolean striped, double errors, long seed) {
        SanSettings settings = SanSettings.DEFAULT.with(
                LinkSettings.DEFAULT.withLanes(2).withErrors(errors).withSeed(seed));
        SubnetManager.Options manager =
                SubnetManager.Options.DEFAULT.with(Routing.MINHOP).withLmc(lmc).withTimes(2_000_000, 50_000);
        return San.managed(
                TopologySpecification.parse(topology), striped ? settings.withStriping() : settings, manager);
    }

    private static VerbsTraffic traffic(San san, VerbsLoad load) throws Exception {
        VerbsTraffic traffic = new VerbsTraffic(san, 2, VerbsPattern.RING, load);
        traffic.connect();
        traffic.start();
        return traffic;
    }

    /** Packets by DLID. */
    private static Map<Integer, Integer> count(San san) {
        Map<Integer, Integer> byLid = new TreeMap<>();
        san.tap((packet, nowNs) -> {
            Lrh lrh = new Lrh().wrap(MemorySegment.ofArray(packet), 0);
            byLid.merge(lrh.dlid(), 1, Integer::sum);
        });
        return byLid;
    }

    @Test
    void f7_oneMessage_overTwoPortsAndTwoPathsEach_usesAllAndArrives() throws Exception {
        try (San san = network("leaf-spine:2x2,hosts=1,ports=2", 1, true, 0, 1)) {
            Map<Integer, Integer> byLid = count(san);
            VerbsTraffic traffic = traffic(san, new VerbsLoad(1 << 18, 1, 1, 1));
            assertTrue(traffic.run(MOST_NS), traffic.completed() + " of " + traffic.messages());
            assertEquals(0, traffic.failed());
            // Ports 1 to 4 of endnodes 0 and 1 have LIDs 2 and 3, 4 and 5, and so on.
            for (int lid = 2; lid < 10; lid++) {
                assertTrue(byLid.getOrDefault(lid, 0) >= 10, byLid.toString());
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void f7_stripedMessages_withErrorsAndABrokenPath_arriveOnceInOrder() throws Exception {
        Seeds.each(SEEDS, seed -> {
            SeededNumbers random = new SeededNumbers(seed);
            try (San san = network("leaf-spine:2x2,hosts=1,ports=2", random.nextInt(2), true, 1e-3, seed)) {
                int spine = san.switchNumber("spine-" + random.nextInt(2)).orElseThrow();
                san.world().after(1 + random.nextInt(100_000), () -> san.breakNode(spine));
                VerbsTraffic traffic = traffic(san, new VerbsLoad(8 + random.nextInt(60_000), 12, 4, 1));
                assertTrue(traffic.run(MOST_NS), traffic.completed() + " messages");
                assertEquals(0, traffic.failed());
            }
        });
    }

    /** LMC: packets to another LID of the same port take another spine. */
    @Test
    void f7_severalLidsOfAPort_arePathsOfTheirOwn() throws Exception {
        try (San san = network("leaf-spine:2x2,hosts=1", 1, false, 0, 1)) {
            Endnode to = san.open(1);
            Wiring wiring = san.fabric().wiring();
            int leaf = san.switchNumber("leaf-0").orElseThrow();
            int in = wiring.port(leaf, 1);
            assertEquals(2, to.paths());
            assertNotEquals(wiring.output(in, to.lid(0, 0)), wiring.output(in, to.lid(0, 1)));
        }
    }

    /** A connection can be established by each GID of each port, and then takes the path of that GID both ways. */
    @Test
    void f7_connectionsByEachGidOfEachPort_takeTheirOwnPaths() throws Exception {
        try (San san = network("leaf-spine:2x2,hosts=1,ports=2", 1, false, 0, 1)) {
            Endnode from = san.open(0);
            Endnode to = san.open(1);
            for (int port = 0; port < 2; port++) {
                for (int path = 0; path < 2; path++) {
                    Map<Integer, Integer> byLid = count(san);
                    OneWrite.run(from, to, new InetSocketAddress(to.gid(port, path), 7), 20_000);
                    assertEquals(Set.of(from.lid(port, path), to.lid(port, path)), byLid.keySet());
                }
            }
        }
    }

    /** Requests and acknowledgements of a connection pass different spines, both ways. */
    @Test
    void f7_acknowledgements_onAnotherPathThanRequests() throws Exception {
        SubnetManager.Options manager =
                SubnetManager.Options.DEFAULT.with(Routing.MINHOP).withLmc(1).withTimes(2_000_000, 50_000);
        try (San san = San.managed(
                TopologySpecification.parse("leaf-spine:2x2,hosts=1"),
                SanSettings.DEFAULT.with(PathUse.SEPARATE_ANSWERS),
                manager)) {
            Map<String, Set<Integer>> spines = new TreeMap<>();
            Wiring wiring = san.fabric().wiring();
            san.tap((packet, nowNs) -> {
                MemorySegment bytes = MemorySegment.ofArray(packet);
                Lrh lrh = new Lrh().wrap(bytes, 0);
                IbOpcode opcode = new Bth().wrap(bytes, Lrh.LENGTH).opcode();
                if (opcode.service() == IbOpcode.Service.RC) {
                    int in = wiring.peer(wiring.endports()[lrh.slid() / 2 - 1]);
                    int spine = wiring.nodeOf(wiring.peer(wiring.output(in, lrh.dlid())));
                    spines.computeIfAbsent(
                                    lrh.slid() / 2 + (opcode.request() ? " requests" : " answers"),
                                    key -> new TreeSet<>())
                            .add(spine);
                }
            });
            VerbsTraffic traffic = traffic(san, new VerbsLoad(1 << 16, 8, 2, 1));
            assertTrue(traffic.run(MOST_NS));
            assertEquals(0, traffic.failed());
            assertEquals(4, spines.size(), spines.toString());
            spines.values().forEach(each -> assertEquals(1, each.size(), spines.toString()));
            assertNotEquals(spines.get("1 requests"), spines.get("2 answers"), spines.toString());
            assertNotEquals(spines.get("2 requests"), spines.get("1 answers"), spines.toString());
        }
    }

    /** Without several paths, answers leave by the other port. */
    @Tag(Seeds.TAG)
    @Test
    void f7_acknowledgements_onAnotherPortThanRequests_withDamagedFlits() throws Exception {
        Seeds.each(SEEDS, seed -> {
            SanSettings settings = SanSettings.DEFAULT
                    .with(LinkSettings.DEFAULT.withLanes(2).withErrors(1e-3).withSeed(seed))
                    .with(PathUse.SEPARATE_ANSWERS);
            try (San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=1,ports=2"), settings)) {
                Map<Integer, Integer> byLid = count(san);
                VerbsTraffic traffic = traffic(san, new VerbsLoad(1 << 14, 8, 2, 1));
                assertTrue(traffic.run(MOST_NS), traffic.completed() + " messages");
                assertEquals(0, traffic.failed());
                assertEquals(Set.of(1, 2, 3, 4), byLid.keySet());
            }
        });
    }

    @Test
    void f7_striping_overTwoPorts_isFasterThanOnePort() throws Exception {
        long[] ns = new long[2];
        for (int i = 0; i < 2; i++) {
            try (San san = network("leaf-spine:1x1,hosts=2,ports=2,rate=4xQDR", 0, i == 1, 0, 1)) {
                VerbsTraffic traffic = traffic(san, new VerbsLoad(1 << 20, 2, 2, 1));
                assertTrue(traffic.run(MOST_NS));
                ns[i] = traffic.durationNs();
            }
        }
        assertTrue(ns[1] < .75 * ns[0], ns[1] + " ns with two ports, " + ns[0] + " with one");
    }
}
