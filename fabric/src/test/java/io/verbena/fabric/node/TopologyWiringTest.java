package io.verbena.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.fabric.traffic.Traffic;
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
}
