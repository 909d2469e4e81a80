package io.verbena.fabric.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.FlitType;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.management.Counter;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.ManagedSubnet;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.FabricEvents;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import org.junit.jupiter.api.Test;

/** F8: counters of performance management while real traffic moves, and changes while it runs. */
class ManagedTrafficTest {

    private static final long SECOND = 1_000_000_000L;

    private final Topology topology = TopologySpecification.parse("leaf-spine:4x2,hosts=4");
    private final ManagedFabric fabric = new ManagedFabric(topology);
    private final ManagedSubnet subnet =
            ManagedSubnet.atFirstAdapter(fabric, SubnetManager.Options.DEFAULT).orElseThrow();
    private final ManagedTraffic traffic =
            new ManagedTraffic(fabric, LinkSettings.DEFAULT, Pattern::uniform, Load.of(.3, 256));

    private long count(String node, int port, Counter counter) {
        return traffic.count(topology.find(node).orElseThrow().index(), port, counter);
    }

    private long spines(Counter counter) {
        long sum = 0;
        for (int port = 1; port <= 4; port++) {
            sum += count("spine-0", port, counter) + count("spine-1", port, counter);
        }
        return sum;
    }

    @Test
    void beforeAManager_nothingIsSent() {
        traffic.advance(1_000);
        traffic.advance(1_000);
        assertFalse(traffic.running());
        assertEquals(0, traffic.delivered());
    }

    @Test
    void managedFabric_countersShowWhatTheTrafficMoved() {
        assertTrue(subnet.bringUp(SECOND));
        traffic.advance(1_000);
        assertFalse(traffic.running(), "tables have changed since the last call");
        traffic.advance(20_000);
        assertTrue(traffic.running());
        assertTrue(traffic.delivered() > 1_000, "delivered " + traffic.delivered());
        assertEquals(0, traffic.discarded());
        long sent = 0;
        long received = 0;
        for (Node node : topology.nodes()) {
            if (!node.isSwitch()) {
                sent += traffic.count(node.index(), 1, Counter.XMIT_PACKETS);
                received += traffic.count(node.index(), 1, Counter.RCV_PACKETS);
                assertEquals(
                        64 * traffic.count(node.index(), 1, Counter.XMIT_PACKETS),
                        traffic.count(node.index(), 1, Counter.XMIT_DATA));
            }
        }
        assertEquals(traffic.delivered(), received);
        assertTrue(sent >= received && sent < 2 * received, sent + " sent, " + received + " received");
        assertTrue(spines(Counter.XMIT_PACKETS) > received / 2, "most pairs are at different leaves");
        assertTrue(spines(Counter.RCV_PACKETS) >= spines(Counter.XMIT_PACKETS));
    }

    @Test
    void cableDown_trafficStops_thenUsesTheNewRoutes_andCountersKeepTheirValues() {
        assertTrue(subnet.bringUp(SECOND));
        traffic.advance(1);
        traffic.advance(10_000);
        long before = count("spine-0", 1, Counter.XMIT_PACKETS);
        long delivered = traffic.delivered();
        assertTrue(before > 0);
        fabric.cable(
                fabric.topology().cableAt(topology.find("leaf-0").orElseThrow().index(), 5), false);
        traffic.advance(10_000);
        assertFalse(traffic.running());
        assertEquals(before, count("spine-0", 1, Counter.XMIT_PACKETS));
        assertEquals(delivered, traffic.delivered());
        assertTrue(subnet.bringUp(SECOND));
        traffic.advance(1);
        long discarded = traffic.discarded();
        traffic.advance(10_000);
        assertTrue(traffic.running());
        assertEquals(before, count("spine-0", 1, Counter.XMIT_PACKETS), "the unplugged port counts nothing");
        assertTrue(traffic.delivered() > delivered + 500);
        assertEquals(discarded, traffic.discarded(), "the new routes lead everywhere");
    }

    @Test
    void nodeOff_itsFramesEnd_andOthersGoOn() {
        assertTrue(subnet.bringUp(SECOND));
        traffic.advance(1);
        traffic.advance(5_000);
        fabric.node(topology.find("spine-1").orElseThrow().index(), false);
        assertTrue(subnet.bringUp(SECOND));
        traffic.advance(1);
        long before = count("spine-1", 2, Counter.RCV_PACKETS);
        long delivered = traffic.delivered();
        traffic.advance(10_000);
        assertEquals(before, count("spine-1", 2, Counter.RCV_PACKETS));
        assertTrue(traffic.delivered() > delivered + 500);
    }

    /** The tables that a manager has written weigh the lanes, and copy the frames of a group. */
    @Test
    void f8_writtenTables_arbitrationAndMulticast_areUsedByTheTraffic() {
        assertTrue(subnet.bringUp(SECOND));
        int leaf = topology.find("leaf-0").orElseThrow().index();
        byte[] group = new byte[64];
        // Group 0xc001: ports 1, 2 and 3 of the leaf, hosts h0, h1 and h2.
        group[3] = 0b1110;
        fabric.write(leaf, Smp.MULTICAST_FORWARDING, 0, group);
        ManagedTraffic quiet = new ManagedTraffic(fabric, LinkSettings.DEFAULT, Pattern::uniform, Load.of(1e-7, 256));
        quiet.advance(1);
        quiet.advance(1);
        assertTrue(quiet.sendToGroup(topology.find("h1 sanic-1").orElseThrow().index(), 1, 0xc001));
        quiet.advance(5_000);
        assertEquals(2, quiet.delivered(), "copies for h0 and h2");

        double equal = share();
        byte[] weights = new byte[64];
        weights[0] = 0;
        weights[1] = 1;
        weights[2] = 1;
        weights[3] = 8;
        for (int port = 1; port <= 6; port++) {
            fabric.write(leaf, Smp.VL_ARBITRATION, 1 << 16 | port, weights);
        }
        assertTrue(Math.abs(share() - equal) > .05, "the share of lane 1 was " + equal + " and is " + share());
    }

    /** The part of lane 1 in what the first leaf sends to a host that all others send to. */
    private double share() {
        Wiring wiring = TopologyWiring.of(topology, fabric);
        TopologyPorts places = new TopologyPorts(topology, wiring);
        int[] flits = new int[2];
        FabricEvents events = new FabricEvents() {
            @Override
            public void onFrame(int port, int frame, boolean intact, long now) {}

            @Override
            public void onTick(int port, long now) {}
        };
        Fabric frames = new Fabric(wiring, LinkSettings.DEFAULT.withLanes(2), SwitchSettings.DEFAULT, events);
        new ManagedTables(fabric, places).all(frames);
        int[] ends = wiring.endports();
        int out = wiring.peer(ends[0]);
        frames.observe((port, now, arrival, flit) -> {
            if (port == out && flit.type() == FlitType.DATA) {
                flits[flit.data().lane()]++;
            }
        });
        for (int from = 1; from < 4; from++) {
            for (int i = 0; i < 500; i++) {
                frames.send(ends[from], wiring.lid(ends[0]), i & 1, 64);
            }
        }
        frames.run(3_000);
        return (double) flits[1] / (flits[0] + flits[1]);
    }
}
