package io.verbena.fabric.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fixture.Seeds;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Frames that wait for each other in a cycle, by routes with a credit loop or by tables that lead in a circle, are discarded in time. */
class HeadLifeTest {

    private static final int SEEDS = 30;
    private static final long LIFE = 20_000;

    private long intact;
    private long cut;

    private final FabricEvents events = new FabricEvents() {
        @Override
        public void onFrame(int port, int frame, boolean whole, long now) {
            intact += whole ? 1 : 0;
            cut += whole ? 0 : 1;
        }

        @Override
        public void onTick(int port, long now) {}
    };

    /** A ring in which all frames go the same way round: every link waits for the next one. */
    private static Wiring ring(int switches) {
        Wiring wiring = new Wiring();
        for (int s = 0; s < switches; s++) {
            wiring.addSwitch(3);
        }
        for (int s = 0; s < switches; s++) {
            wiring.connect(s, 3, wiring.addAdapter(1), 1, LinkTiming.DEFAULT);
            wiring.connect(s, 1, (s + 1) % switches, 2, LinkTiming.DEFAULT);
        }
        for (int s = 0; s < switches; s++) {
            short[] table = new short[switches + 1];
            Arrays.fill(table, (short) 1);
            table[s + 1] = 3;
            wiring.table(s, table);
        }
        return wiring;
    }

    private void run(long seed) {
        SeededNumbers random = new SeededNumbers(seed);
        intact = 0;
        cut = 0;
        int switches = 3 + random.nextInt(6);
        Wiring wiring = ring(switches);
        SwitchSettings settings = SwitchSettings.DEFAULT.with(Organisation.values()[random.nextInt(3)]);
        LinkSettings link = LinkSettings.DEFAULT
                .withLanes(1 + random.nextInt(2))
                .withBuffer(8 << random.nextInt(4))
                .withErrors(random.nextInt(3) == 0 ? 1e-2 : 0)
                .withSeed(seed);
        Fabric fabric = new Fabric(wiring, link, settings, events);
        int[] ends = wiring.endports();
        for (int i = 0; i < 40 * switches; i++) {
            int from = random.nextInt(switches);
            int hops = 1 + random.nextInt(switches - 1);
            fabric.send(ends[from], (from + hops) % switches + 1, random.nextInt(2), 1 + random.nextInt(2_000));
        }
        if (random.nextInt(2) == 0) {
            // The last switch no longer knows its own endnode: frames to it circle.
            fabric.route(switches - 1, switches, 1);
        }
        for (int i = 0; i < 2_000 && fabric.inFlight() > 0; i++) {
            fabric.run(fabric.now() + LIFE);
            fabric.discardStuck();
        }
        assertEquals(0, fabric.inFlight(), "frames are stuck");
        assertEquals(fabric.injected(), intact + cut + fabric.discarded());
        fabric.route(switches - 1, switches, 3);
        long before = intact;
        for (int to = 1; to < switches; to++) {
            fabric.send(ends[0], to + 1, 0, 4_096);
            assertTrue(fabric.drain(fabric.now() + 10_000_000), "a credit was lost");
        }
        assertEquals(before + switches - 1, intact);
    }

    @Tag(Seeds.TAG)
    @Test
    void f5_framesInACycle_areDiscardedInTime_andNoCreditIsLost() {
        Seeds.each(SEEDS, this::run);
    }

    @Test
    void f5_deadlock_endsWithTheLifeOfItsFrames() {
        Wiring wiring = ring(6);
        Fabric fabric =
                new Fabric(wiring, LinkSettings.DEFAULT.withLanes(1).withBuffer(8), SwitchSettings.DEFAULT, events);
        int[] ends = wiring.endports();
        for (int i = 0; i < 60; i++) {
            fabric.send(ends[i % 6], (i + 3) % 6 + 1, 0, 4_096);
        }
        fabric.run(1_000_000);
        assertFalse(fabric.deadlock().isEmpty());
        for (int i = 0; i < 200 && fabric.inFlight() > 0; i++) {
            fabric.discardStuck();
            fabric.run(fabric.now() + LIFE);
        }
        assertEquals(0, fabric.inFlight());
        assertEquals(60, intact + cut + fabric.discarded());
    }
}
