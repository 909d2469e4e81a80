package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.port.Addresses;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Verbs programs on the endnodes of a simulated fabric. */
class EndnodeTest {

    private static final SanSettings SETTINGS = SanSettings.DEFAULT;

    private static long hello(long seed) throws Exception {
        try (San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SETTINGS.withSeed(seed))) {
            HelloSan.run(san.open(0), san.open(3), "hello, fabric");
            return san.traceHash();
        }
    }

    /** F2: host names, GUIDs, LIDs of 16 bits and IPv6 addresses, several for each port; those of a subnet share a prefix. */
    @Test
    void f2_hostsAdaptersAndPaths_haveNamesOfTheirOwn() {
        Topology room = TopologySpecification.parse("machine-room");
        List<Node> ofHost =
                room.nodes().stream().filter(node -> node.unit().equals("h0")).toList();
        assertEquals(
                List.of("h0 sanic-1", "h0 sanic-2"),
                ofHost.stream().map(Node::name).toList());
        Set<Long> guids = room.nodes().stream().map(Node::guid).collect(Collectors.toSet());
        assertEquals(room.nodes().size(), guids.size());
        try (San san = San.managed(room, SETTINGS, SubnetManager.Options.DEFAULT.withLmc(2))) {
            Set<Integer> lids = new HashSet<>();
            Set<InetAddress> addresses = new HashSet<>();
            Set<Long> prefixes = new HashSet<>();
            int names = 0;
            for (int i = 0; i < san.endnodes(); i++) {
                if (san.isRouter(i)) {
                    continue;
                }
                Endnode endnode = san.open(i);
                for (int name = 0; name < endnode.ports() * endnode.paths(); name++) {
                    int port = name / endnode.paths();
                    int path = name % endnode.paths();
                    lids.add(endnode.lid(port, path));
                    addresses.add(endnode.gid(port, path));
                    prefixes.add(Addresses.high(endnode.gid(port, path)));
                    names++;
                }
            }
            assertEquals(names, lids.size());
            assertEquals(names, addresses.size());
            assertEquals(2, prefixes.size(), "two subnets");
            assertTrue(lids.stream().allMatch(lid -> lid > 0 && lid < 0xc000), lids.toString());
        }
    }

    @Test
    void helloProgram_throughSwitches_arrives() throws Exception {
        assertEquals(hello(1), hello(1));
    }
}
