package io.verbena.tools.fabric.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.ManagedTraffic;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.tools.fabric.OwnManager;
import io.verbena.web.NetworkAction;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServedFabricTest {

    private final ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("leaf-spine:2x2,hosts=2"));

    @Test
    void cableThatIsUnplugged_isDown_andReturns() {
        ServedFabric page = new ServedFabric("leaf-spine:2x2,hosts=2", fabric, Optional.empty(), () -> {}, 100);
        page.act(new NetworkAction.Link(1, false));
        page.turn(150);
        assertFalse(fabric.connected(1));
        assertEquals(List.of(1), page.state().linksDown());
        page.act(new NetworkAction.Link(1, true));
        page.turn(160);
        page.turn(100_000_170);
        assertEquals(List.of(), page.state().linksDown());
        assertEquals(100_000_070, page.state().clock().nowNs());
        assertEquals(
                List.of(50L, 60L),
                page.state().events().stream().map(event -> event.timeNs()).toList());
    }

    @Test
    void time_cannotBeSet() {
        ServedFabric page = new ServedFabric("leaf-spine:2x2,hosts=2", fabric, Optional.empty(), () -> {}, 0);
        assertThrows(IllegalArgumentException.class, () -> page.act(new NetworkAction.Pause()));
        assertThrows(IllegalArgumentException.class, () -> page.act(new NetworkAction.Seek(5)));
    }

    @Test
    void traffic_loadsLinks() throws Exception {
        ManagedTraffic traffic = new ManagedTraffic(fabric, LinkSettings.DEFAULT, Pattern::uniform, Load.of(.5, 256));
        ServedFabric page = new ServedFabric("leaf-spine:2x2,hosts=2", fabric, Optional.of(traffic), () -> {}, 0);
        OwnManager.bringUp(fabric, Routing.UP_DOWN, 0);
        for (int i = 0; i < 3; i++) {
            traffic.advance(10_000);
        }
        assertTrue(traffic.running());
        page.turn(100_000_000);
        long loaded = 0;
        for (byte load : page.state().loads().getFirst()) {
            assertTrue(load >= 0 && load <= 100, () -> "load " + load);
            loaded += load >= 30 && load <= 70 ? 1 : 0;
        }
        assertTrue(loaded >= 8, loaded + " directions have about half of their load");
    }
}
