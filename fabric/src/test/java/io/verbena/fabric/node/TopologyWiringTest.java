package io.verbena.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.ManagedSubnet;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.fabric.traffic.Traffic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyWiringTest {

    /** One lane and small buffers: any cycle of the routes would end in a deadlock. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fat-tree:4",
                "leaf-spine:4x2",
                "mesh:3x3",
                "torus:4x4",
                "ring:6",
                "hypercube:4",
                "dragonfly:2x4x2",
                "machine-room"
            })
    void shape_upDownRoutesAtFullLoad_everyFrameArrives(String shape) {
        for (SwitchSettings settings :
                new SwitchSettings[] {SwitchSettings.DEFAULT, SwitchSettings.DEFAULT.adaptively()}) {
            Wiring wiring = TopologyWiring.of(TopologySpecification.parse(shape));
            int nodes = wiring.lids();
            Traffic traffic = new Traffic(
                    wiring,
                    LinkSettings.DEFAULT.withBuffer(4),
                    settings,
                    Pattern.allToAll(nodes),
                    new Load(Load.BACKLOGGED, 500, 10),
                    Traffic.Levels.ZERO);
            traffic.run(20_000);
            assertTrue(
                    traffic.finish(10_000_000),
                    () -> "cycle " + traffic.fabric().deadlock());
            assertTrue(
                    traffic.fabric().delivered() > nodes,
                    "delivered " + traffic.fabric().delivered());
            // Only the machine room consists of several subnets, and switches forward within theirs.
            assertTrue(shape.equals("machine-room") || traffic.fabric().discarded() == 0);
            assertEquals(
                    traffic.fabric().injected(),
                    traffic.fabric().delivered() + traffic.fabric().discarded());
            assertEquals(0, traffic.fabric().misrouted());
            assertEquals(0, traffic.outOfOrder());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fat-tree:4", "leaf-spine:4x2", "torus:4x4", "dragonfly:2x4x2", "ring:6,hosts=2,sanics=2"})
    void shape_tablesOfASubnetManager_everyFrameArrives(String shape) {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse(shape));
        assertTrue(ManagedSubnet.atFirstAdapter(fabric, SubnetManager.Options.DEFAULT)
                .orElseThrow()
                .bringUp(1_000_000_000L));
        Wiring wiring = TopologyWiring.of(fabric.topology(), fabric);
        Traffic traffic = allToAll(wiring);
        assertTrue(traffic.finish(10_000_000), () -> "cycle " + traffic.fabric().deadlock());
        assertTrue(traffic.fabric().delivered() > wiring.lids());
        assertEquals(traffic.fabric().injected(), traffic.fabric().delivered());
        assertEquals(0, traffic.outOfOrder());
    }

    @Test
    void unmanagedFabric_hasNoActiveLinks_andNoEndnodes() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("leaf-spine:4x2"));
        assertEquals(0, TopologyWiring.of(fabric.topology(), fabric).lids());
    }

    @Test
    void cableDown_managerHasNotReacted_framesForItAreDiscardedAndOthersArrive() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("leaf-spine:4x2"));
        assertTrue(ManagedSubnet.atFirstAdapter(fabric, SubnetManager.Options.DEFAULT)
                .orElseThrow()
                .bringUp(1_000_000_000L));
        fabric.cable(
                fabric.topology()
                        .cableAt(fabric.topology().find("leaf-0").orElseThrow().index(), 9),
                false);
        Wiring wiring = TopologyWiring.of(fabric.topology(), fabric);
        Traffic traffic = allToAll(wiring);
        assertTrue(traffic.finish(10_000_000), () -> "cycle " + traffic.fabric().deadlock());
        assertTrue(traffic.fabric().discarded() > 0);
        // A sender whose frames are discarded sends faster than the others, so most frames may be lost.
        assertTrue(traffic.fabric().delivered() > wiring.lids());
        assertEquals(
                traffic.fabric().injected(),
                traffic.fabric().delivered() + traffic.fabric().discarded());
    }

    private static Traffic allToAll(Wiring wiring) {
        Traffic traffic = new Traffic(
                wiring,
                LinkSettings.DEFAULT.withBuffer(4),
                SwitchSettings.DEFAULT,
                Pattern.allToAll(wiring.lids()),
                new Load(Load.BACKLOGGED, 500, 10),
                Traffic.Levels.ZERO);
        traffic.run(10_000);
        return traffic;
    }
}
