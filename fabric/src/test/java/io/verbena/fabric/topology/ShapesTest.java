package io.verbena.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The builders of topologies: the numbers of nodes and cables that the literature states, diameters, names. */
class ShapesTest {

    @ParameterizedTest
    @CsvSource({
        // specification, adapters, switches, cables, switches on the longest shortest path between hosts
        "fat-tree:4, 16, 20, 48, 5",
        "fat-tree:8, 128, 80, 384, 5",
        "leaf-spine:8x4, 64, 12, 96, 3",
        "mesh:5x5, 25, 25, 65, 9",
        "torus:5x5, 25, 25, 75, 5",
        "torus:4x4x4, 64, 64, 256, 7",
        "ring:6, 6, 6, 12, 4",
        "hypercube:4, 16, 16, 48, 5",
        "dragonfly:2x4x2, 72, 36, 162, 4"
    })
    void specification_ofAShape_hasItsNodesCablesAndDiameter(
            String specification, int adapters, int switches, int cables, int diameter) {
        Topology topology = TopologySpecification.parse(specification.replace(';', ','));
        assertEquals(adapters, topology.count(NodeKind.ADAPTER));
        assertEquals(switches, topology.count(NodeKind.SWITCH));
        assertEquals(cables, topology.cables().size());
        assertEquals(diameter, diameter(topology));
    }

    @Test
    void dragonfly_eachPairOfGroups_hasOneCable() {
        Topology topology = TopologySpecification.parse("dragonfly:1x4x2");
        int[][] between = new int[9][9];
        for (Cable cable : topology.cables()) {
            String a = topology.node(cable.nodeA()).name();
            String b = topology.node(cable.nodeB()).name();
            if (a.startsWith("g") && b.startsWith("g")) {
                between[a.charAt(1) - '0'][b.charAt(1) - '0']++;
            }
        }
        for (int a = 0; a < 9; a++) {
            for (int b = a + 1; b < 9; b++) {
                assertEquals(1, between[a][b] + between[b][a], a + " to " + b);
            }
        }
    }

    @Test
    void f1_machineRoom_hasEveryKindOfNode_inItsUnits() {
        Topology topology = TopologySpecification.parse("machine-room");
        assertEquals(1, topology.count(NodeKind.ROUTER));
        List<String> io1 = topology.nodes().stream()
                .filter(node -> node.unit().equals("io1"))
                .map(Node::name)
                .toList();
        assertEquals(List.of("io1 backplane", "io1 card-1", "io1 card-2", "io1 card-3", "io1 card-4"), io1);
        Node sanic = topology.find("h0 sanic-2").orElseThrow();
        assertEquals(2, sanic.ports());
        assertEquals("switch-1", topology.node(topology.peer(sanic.index(), 1)).name());
        assertEquals("switch-2", topology.node(topology.peer(sanic.index(), 2)).name());
        assertEquals(
                topology.find("h0 sanic-1").orElseThrow().identity().systemGuid(),
                sanic.identity().systemGuid());
    }

    @Test
    void options_ofASpecification_areApplied() {
        Topology topology = TopologySpecification.parse("ring:3,hosts=2,sanics=2,ports=2,rate=1xSDR,length=40");
        assertEquals(12, topology.count(NodeKind.ADAPTER));
        assertEquals(3 + 24, topology.cables().size());
        assertEquals(
                new LinkRate(LinkWidth.X1, LinkSpeed.SDR),
                topology.cables().getFirst().rate());
        assertEquals(40, topology.cables().getLast().lengthMetres());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "star:5",
                "fat-tree:5",
                "fat-tree:0",
                "fat-tree:98",
                "fat-tree:4x4",
                "ring:0",
                "ring:4x4",
                "ring:",
                "mesh:5x",
                "mesh:300x300",
                "torus:5x5,hosts=-1",
                "torus:5x5,hosts=251",
                "torus:3x3x3,hosts=250",
                "ring:3,rate=5xEDR",
                "ring:3,colour=red",
                "ring:3,hosts",
                "fat-tree:4,hosts=2",
                "dragonfly:1x2",
                "dragonfly:1x201x201",
                "machine-room:1",
                "hypercube:15"
            })
    void specification_ofNoTopology_failsWithASentence(String specification) {
        String message =
                String.valueOf(assertThrows(TopologyException.class, () -> TopologySpecification.parse(specification))
                        .getMessage());
        assertTrue(message.length() > 20 && !message.contains("Exception"), message);
    }

    private static int diameter(Topology topology) {
        int longest = 0;
        for (Node start : topology.nodes(NodeKind.ADAPTER)) {
            int[] hops = new int[topology.nodes().size()];
            Arrays.fill(hops, -1);
            hops[start.index()] = 0;
            ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(start.index()));
            while (!queue.isEmpty()) {
                int at = queue.remove();
                for (int port = 1; port <= topology.node(at).ports(); port++) {
                    int next = topology.peer(at, port);
                    if (next >= 0 && hops[next] < 0) {
                        hops[next] = hops[at] + 1;
                        queue.add(next);
                    }
                }
            }
            for (Node node : topology.nodes(NodeKind.ADAPTER)) {
                assertTrue(hops[node.index()] >= 0, node.name() + " is not connected");
                longest = Math.max(longest, hops[node.index()] - 1);
            }
        }
        return longest;
    }
}
