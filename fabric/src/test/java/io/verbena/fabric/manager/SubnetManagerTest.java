package io.verbena.fabric.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.routing.CreditLoops;
import io.verbena.fabric.routing.Path;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fixture.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our subnet manager brings fabrics up, and its routes have credit loops exactly where theory says. */
class SubnetManagerTest {

    private static final long SECOND = 1_000_000_000;

    private static ManagedSubnet subnet(ManagedFabric fabric, Routing routing, int lmc) {
        Node first = fabric.topology().nodes(NodeKind.ADAPTER).getFirst();
        return new ManagedSubnet(fabric, first.index(), 1, new SubnetManager.Options(routing, lmc, 10 * SECOND));
    }

    private static ManagedFabric up(String specification, Routing routing) {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse(specification));
        ManagedSubnet subnet = subnet(fabric, routing, 0);
        assertTrue(subnet.bringUp(SECOND));
        assertEquals(1, subnet.manager().sweeps());
        return fabric;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "leaf-spine:4x2 | MINHOP   | false",
                "leaf-spine:4x2 | UP_DOWN  | false",
                "leaf-spine:4x2 | FAT_TREE | false",
                "fat-tree:4     | MINHOP   | false",
                "fat-tree:4     | FAT_TREE | false",
                "mesh:5x5       | UP_DOWN  | false",
                "torus:5x5      | MINHOP   | true",
                "torus:5x5      | UP_DOWN  | false",
                "ring:6         | MINHOP   | true",
                "ring:6         | UP_DOWN  | false",
                "ring:3         | MINHOP   | false",
                "hypercube:4    | UP_DOWN  | false",
                "dragonfly:1x4x2| UP_DOWN  | false",
                "machine-room   | UP_DOWN  | false"
            })
    void routes_ofAnEngine_haveACreditLoopWhereTheorySays(String specification, Routing routing, boolean loop) {
        ManagedFabric fabric = up(specification, routing);
        CreditLoops.Verdict verdict = CreditLoops.search(fabric.topology(), fabric);
        assertEquals(loop, verdict.loop(), () -> verdict.sentence(fabric.topology()));
        if (!specification.equals("machine-room")) {
            // In the machine room a router separates two subnets.
            assertEquals(List.of(), verdict.unreachable());
        }
    }

    @Test
    void minhop_everyPath_isShortest() {
        ManagedFabric fabric = up("torus:4x4", Routing.MINHOP);
        Topology topology = fabric.topology();
        for (Node a : topology.nodes(NodeKind.ADAPTER)) {
            for (Node b : topology.nodes(NodeKind.ADAPTER)) {
                int x = Math.abs(a.index() % 4 - b.index() % 4);
                int y = Math.abs(a.index() % 16 / 4 - b.index() % 16 / 4);
                int hops = Path.follow(topology, fabric, a.index(), 1, fabric.lid(b.index(), 1))
                        .hops()
                        .size();
                assertEquals(a == b ? 0 : 2 + Math.min(x, 4 - x) + Math.min(y, 4 - y), hops);
            }
        }
    }

    @Test
    void fatTree_paths_useAllCoresEvenly() {
        ManagedFabric fabric = up("fat-tree:4", Routing.FAT_TREE);
        Topology topology = fabric.topology();
        TreeMap<String, Integer> cores = new TreeMap<>();
        List<Node> hosts = topology.nodes(NodeKind.ADAPTER);
        for (Node from : hosts.subList(0, 4)) {
            for (Node to : hosts.subList(4, 16)) {
                Path path = Path.follow(topology, fabric, from.index(), 1, fabric.lid(to.index(), 1));
                path.hops().stream()
                        .map(hop -> topology.node(hop.node()).name())
                        .filter(name -> name.startsWith("core"))
                        .forEach(name -> cores.merge(name, 1, Integer::sum));
            }
        }
        assertEquals("{core-0=12, core-1=12, core-2=12, core-3=12}", cores.toString());
    }

    @Test
    void fatTreeEngine_onATorus_isReplacedByUpDown() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("torus:3x3"));
        ManagedSubnet subnet = subnet(fabric, Routing.FAT_TREE, 0);
        assertTrue(subnet.bringUp(SECOND));
        assertEquals(Routing.UP_DOWN, subnet.manager().routing());
        assertFalse(CreditLoops.search(fabric.topology(), fabric).loop());
    }

    @Test
    void f2_lmc_ofTwo_givesFourLidsAndPathsPerAdapter() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("leaf-spine:2x4,hosts=1"));
        assertTrue(subnet(fabric, Routing.MINHOP, 2).bringUp(SECOND));
        Node from = fabric.topology().find("h0 sanic-1").orElseThrow();
        Node to = fabric.topology().find("h1 sanic-1").orElseThrow();
        long spines = 0;
        for (int i = 0; i < 4; i++) {
            Path path = Path.follow(fabric.topology(), fabric, from.index(), 1, fabric.lid(to.index(), 1) + i);
            assertTrue(path.arrived(), path.problem());
            spines |= 1L << path.hops().get(2).node();
        }
        assertEquals(2, fabric.lmc(to.index(), 1));
        assertEquals(4, Long.bitCount(spines));
    }

    @Test
    void f8_cableUnplugged_aTrapCausesNewRoutes_andLidsRemain() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("ring:5"));
        ManagedSubnet subnet = subnet(fabric, Routing.UP_DOWN, 0);
        assertTrue(subnet.bringUp(SECOND));
        List<Integer> before = lids(fabric);
        fabric.cable(fabric.topology().cableAt(2, 1), false);
        assertTrue(subnet.bringUp(5 * SECOND));
        assertEquals(2, subnet.manager().sweeps());
        assertEquals(before, lids(fabric));
        assertEquals(List.of(), CreditLoops.search(fabric.topology(), fabric).unreachable());
        fabric.cable(fabric.topology().cableAt(2, 1), true);
        assertTrue(subnet.bringUp(5 * SECOND));
        assertTrue(fabric.usable(fabric.topology().cableAt(2, 1)));
        assertEquals(before, lids(fabric));
    }

    @Test
    void switchReplaced_getsItsLidAndTablesAgain() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("leaf-spine:3x2,hosts=2"));
        ManagedSubnet subnet = subnet(fabric, Routing.FAT_TREE, 0);
        assertTrue(subnet.bringUp(SECOND));
        int spine = fabric.topology().find("spine-1").orElseThrow().index();
        int lid = fabric.lid(spine, 0);
        fabric.node(spine, false);
        assertTrue(subnet.bringUp(20 * SECOND));
        assertEquals(List.of(), CreditLoops.search(fabric.topology(), fabric).unreachable());
        fabric.node(spine, true);
        assertTrue(subnet.bringUp(20 * SECOND));
        assertEquals(lid, fabric.lid(spine, 0));
        assertTrue(fabric.usable(fabric.topology().cableAt(spine, 1)));
    }

    /** Cables come and go in any order, also in the middle of sweeps; in the end every pair that is connected has a path. */
    @Tag(Seeds.TAG)
    @Test
    void changes_atRandom_endWithRoutesForAllThatIsConnected() {
        Seeds.each(40, seed -> {
            Random random = new Random(seed);
            ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("torus:3x3"));
            ManagedSubnet subnet = subnet(fabric, Routing.values()[random.nextInt(3)], random.nextInt(2));
            subnet.bringUp(random.nextInt(2) * SECOND);
            for (int i = 0; i < 12; i++) {
                int cable = random.nextInt(fabric.topology().cables().size());
                fabric.cable(cable, random.nextBoolean());
                if (random.nextBoolean()) {
                    subnet.bringUp(random.nextInt(3) * SECOND / 10);
                }
            }
            for (int cable = 0; cable < fabric.topology().cables().size(); cable++) {
                fabric.cable(cable, true);
            }
            assertTrue(subnet.bringUp(60 * SECOND), "seed " + seed);
            assertEquals(
                    List.of(), CreditLoops.search(fabric.topology(), fabric).unreachable(), "seed " + seed);
        });
    }

    @Test
    void responses_ofAnyContent_doNotStopTheManager() {
        Random random = new Random(3);
        SubnetManager manager = new SubnetManager(SubnetManager.Options.DEFAULT);
        manager.sweep(0);
        MemorySegment mad = MemorySegment.ofArray(new byte[SmpHeader.MAD_LENGTH]);
        long now = 0;
        for (int i = 0; i < 20_000; i++) {
            if (manager.poll(mad, now)) {
                byte[] data = new byte[SmpHeader.DATA_LENGTH];
                random.nextBytes(data);
                if (random.nextInt(3) > 0) {
                    mad.asSlice(SmpHeader.DATA, data.length).copyFrom(MemorySegment.ofArray(data));
                }
                if (random.nextInt(3) > 0) {
                    mad.set(ValueLayout.JAVA_BYTE, SmpHeader.DATA + 2, (byte) (1 + random.nextInt(3)));
                    mad.set(ValueLayout.JAVA_BYTE, SmpHeader.DATA + 3, (byte) 4);
                    mad.set(ValueLayout.JAVA_BYTE, SmpHeader.DATA + 36, (byte) random.nextInt(5));
                }
                mad.set(ValueLayout.JAVA_BYTE, 3, (byte) 0x81);
                manager.onResponse(mad);
            } else {
                now += SECOND;
                manager.onTime(now);
            }
        }
        assertTrue(manager.sent() > 1000);
    }

    private static List<Integer> lids(ManagedFabric fabric) {
        return fabric.topology().nodes().stream()
                .map(node -> fabric.lid(node.index(), node.isSwitch() ? 0 : 1))
                .toList();
    }
}
