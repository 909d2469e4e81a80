package io.verbena.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FabricTest {

    private static final LinkTiming TIMING = new LinkTiming(9, 1, 50);

    /** Ports and ticks of the frames that arrived. */
    private static final class Arrivals implements FabricEvents {
        final List<String> log = new ArrayList<>();

        @Override
        public void onFrame(int port, int frame, boolean intact, long now) {
            log.add(port + " at " + now);
        }

        @Override
        public void onTick(int port, long now) {
            log.add("tick of " + port + " at " + now);
        }
    }

    private final Arrivals arrivals = new Arrivals();

    private Fabric fabric(Wiring wiring) {
        return new Fabric(wiring, LinkSettings.DEFAULT, SwitchSettings.DEFAULT, arrivals);
    }

    /** Each hop costs a flit, the wire and the switch; the rest of the frame follows at the speed of the link. */
    @Test
    void f6_idleFabric_oneFrame_latencyIsExact() {
        Wiring wiring = Layouts.mesh(TIMING, 4, 4);
        int[] ends = wiring.endports();
        for (int bytes : new int[] {1, 9, 64, 65, 100, 640, 4096}) {
            for (int to = 1; to < 16; to++) {
                Fabric fabric = fabric(wiring);
                fabric.run(1_000);
                arrivals.log.clear();
                fabric.send(ends[0], to + 1, 0, bytes);
                assertTrue(fabric.drain(100_000));
                int links = Layouts.gridDistance(false, 0, to, 4, 4) + 2;
                int flits = Math.ceilDiv(bytes, 64);
                int last = Math.ceilDiv((8 + bytes - 64 * (flits - 1)) * 9, 72);
                int first = flits == 1 ? last : 9;
                long latency = (links - 1L) * (first + 139) + links * 50L + 9L * (flits - 1) + last;
                assertEquals(List.of(ends[to] + " at " + (1_000 + latency)), arrivals.log, bytes + " B to " + to);
            }
        }
    }

    @Test
    void switchWithoutRoute_frame_isDiscardedAndOthersPass() {
        Wiring wiring = Layouts.star(3, TIMING);
        wiring.table(0, new short[] {0, 1, 0, 3});
        Fabric fabric = fabric(wiring);
        int[] ends = wiring.endports();
        for (int i = 0; i < 20; i++) {
            fabric.send(ends[0], 2, 0, 500);
            fabric.send(ends[0], 3, 0, 500);
            fabric.send(ends[0], 999, 0, 500);
        }
        assertTrue(fabric.drain(1_000_000));
        assertEquals(20, fabric.delivered());
        assertEquals(40, fabric.discarded());
        assertEquals(60, fabric.injected());
    }

    @Test
    void tablesWithLoop_shortFrame_isDiscardedAfterItsHops() {
        Wiring wiring = new Wiring();
        wiring.addSwitch(2);
        wiring.addSwitch(2);
        int adapter = wiring.addAdapter(1);
        wiring.connect(0, 2, 1, 2, TIMING);
        wiring.connect(0, 1, adapter, 1, TIMING);
        wiring.table(0, new short[] {0, 1, 2});
        wiring.table(1, new short[] {0, 2, 2});
        Fabric fabric = fabric(wiring);
        fabric.send(wiring.port(adapter, 1), 2, 0, 64);
        assertTrue(fabric.drain(1_000_000));
        assertEquals(1, fabric.discarded());
        assertEquals(0, fabric.delivered());
    }

    @Test
    void adapterWithAnotherLid_frame_isDroppedAndCounted() {
        Wiring wiring = Layouts.star(3, TIMING);
        wiring.table(0, new short[] {0, 1, 3, 3});
        Fabric fabric = fabric(wiring);
        fabric.send(wiring.endports()[0], 2, 0, 64);
        assertTrue(fabric.drain(1_000_000));
        assertEquals(1, fabric.misrouted());
        assertEquals(List.of(), arrivals.log);
    }

    @Test
    void f6_switch_tablePerInput_routesByInput() {
        Wiring wiring = Layouts.star(4, TIMING);
        wiring.table(2, 0, new short[] {0, 1, 2, 4, 4});
        Fabric fabric = fabric(wiring);
        int[] ends = wiring.endports();
        fabric.send(ends[0], 3, 0, 64);
        assertTrue(fabric.drain(1_000_000));
        fabric.send(ends[1], 3, 0, 64);
        assertTrue(fabric.drain(2_000_000));
        assertEquals(1, fabric.delivered());
        assertEquals(1, fabric.misrouted());
    }

    @Test
    void multicastGroup_frames_reachEveryMemberOnceInOrder() {
        Wiring wiring = Layouts.star(5, TIMING);
        wiring.groups(0, new long[] {0b01111});
        Fabric fabric = fabric(wiring);
        int[] ends = wiring.endports();
        for (int i = 0; i < 10; i++) {
            fabric.send(ends[0], Wiring.MULTICAST, 0, 1000);
            fabric.send(ends[1], 3, 0, 700);
        }
        assertTrue(fabric.drain(1_000_000));
        assertEquals(40, fabric.delivered());
        for (int member : new int[] {1, 3}) {
            assertEquals(
                    10,
                    arrivals.log.stream()
                            .filter(line -> line.startsWith(ends[member] + " "))
                            .count());
        }
        assertEquals(
                20,
                arrivals.log.stream()
                        .filter(line -> line.startsWith(ends[2] + " "))
                        .count());
        assertEquals(0, fabric.inFlight());
    }

    @Test
    void f3_slowReceiver_backPressure_losesNothing() {
        Wiring wiring = Layouts.star(3, TIMING);
        Fabric fabric = fabric(wiring);
        int[] ends = wiring.endports();
        fabric.slowReceiver(ends[2], 100);
        for (int i = 0; i < 30; i++) {
            fabric.send(ends[0], 3, 0, 640);
            fabric.send(ends[1], 3, 0, 640);
        }
        assertFalse(fabric.drain(30_000));
        assertTrue(fabric.drain(1_000_000));
        assertEquals(60, fabric.delivered());
        // 600 flits at 100 ticks each, except those that its buffers hold at the end.
        assertTrue(fabric.now() > 100 * (600 - 64), "now " + fabric.now());
        assertTrue(fabric.counters().stalledTicks(wiring.port(0, 3)) > 10_000);
    }

    @Test
    void twoPathsPerPair_adaptiveRouting_usesBoth() {
        long fixed = timeThroughTwoSpines(SwitchSettings.DEFAULT);
        long adaptive = timeThroughTwoSpines(SwitchSettings.DEFAULT.adaptively());
        assertTrue(adaptive < .6 * fixed, adaptive + " of " + fixed);
    }

    private long timeThroughTwoSpines(SwitchSettings settings) {
        Wiring wiring = new Wiring();
        for (int s = 0; s < 4; s++) {
            wiring.addSwitch(4);
        }
        for (int leaf = 0; leaf < 2; leaf++) {
            wiring.connect(leaf, 1, wiring.addAdapter(1), 1, TIMING);
            wiring.connect(leaf, 2, wiring.addAdapter(1), 1, TIMING);
            wiring.connect(leaf, 3, 2, leaf + 1, TIMING);
            wiring.connect(leaf, 4, 3, leaf + 1, TIMING);
        }
        wiring.table(0, new short[] {0, 1, 2, 3, 3});
        wiring.table(1, new short[] {0, 3, 3, 1, 2});
        wiring.choices(0, new long[] {0, 0, 0, 0b1100, 0b1100});
        for (int spine = 2; spine < 4; spine++) {
            wiring.table(spine, new short[] {0, 1, 1, 2, 2});
        }
        Fabric fabric = new Fabric(wiring, LinkSettings.DEFAULT, settings, arrivals);
        int[] ends = wiring.endports();
        for (int i = 0; i < 200; i++) {
            fabric.send(ends[0], 3, 0, 640);
            fabric.send(ends[1], 4, 0, 640);
        }
        assertTrue(fabric.drain(10_000_000));
        return fabric.now();
    }

    @Test
    void adapterWithTwoPorts_eachHasItsLid_andTicksComeWhenAsked() {
        Wiring wiring = new Wiring();
        int hub = wiring.addSwitch(3);
        int host = wiring.addAdapter(2);
        int other = wiring.addAdapter(1);
        wiring.connect(hub, 1, host, 1, TIMING);
        wiring.connect(hub, 2, host, 2, TIMING);
        wiring.connect(hub, 3, other, 1, TIMING);
        wiring.table(hub, new short[] {0, 1, 2, 3});
        Fabric fabric = fabric(wiring);
        fabric.send(wiring.port(other, 1), 1, 0, 64);
        fabric.send(wiring.port(other, 1), 2, 0, 64);
        fabric.wakeAt(wiring.port(host, 2), 7);
        assertTrue(fabric.drain(10_000));
        assertEquals("tick of " + wiring.port(host, 2) + " at 7", arrivals.log.get(0));
        assertEquals(3, arrivals.log.size());
        assertEquals(2, fabric.delivered());
    }
}
