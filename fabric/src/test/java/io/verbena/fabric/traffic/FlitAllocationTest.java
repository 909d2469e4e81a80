package io.verbena.fabric.traffic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.SwitchSettings;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class FlitAllocationTest {

    @Test
    void steadyTraffic_anyFlit_allocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Traffic traffic = new Traffic(
                Layouts.mesh(LinkTiming.DEFAULT, 4, 4),
                LinkSettings.DEFAULT.withLanes(2).withErrors(1e-4),
                SwitchSettings.DEFAULT,
                Pattern.uniform(16),
                Load.of(.4, 256),
                (from, to) -> from & 1);
        traffic.warmUp(50_000);
        long flits = traffic.fabric().flitsDelivered();
        long before = threads.getCurrentThreadAllocatedBytes();
        traffic.run(100_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        flits = traffic.fabric().flitsDelivered() - flits;
        assertTrue(flits > 50_000, "flits " + flits);
        assertTrue(allocated < 1_000, allocated + " bytes for " + flits + " flits");
    }
}
