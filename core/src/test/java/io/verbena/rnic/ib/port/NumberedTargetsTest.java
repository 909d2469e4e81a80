package io.verbena.rnic.ib.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.RandomSource;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NumberedTargetsTest {

    private static final int PLACES = 4096;
    private final NumberedTargets targets = new NumberedTargets();
    private final RandomSource random = new Random(1)::nextLong;

    private static final class Target implements PacketTarget {
        @Override
        public RnicEngine engine() {
            throw new AssertionError("not asked");
        }

        @Override
        public boolean admits(IbPacket packet, Admission admission) {
            return false;
        }

        @Override
        public boolean takesRun(Origin origin, int psn) {
            return false;
        }

        @Override
        public int onRun(PacketRun run) {
            return 0;
        }

        @Override
        public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {}

        @Override
        public void bug(String where, Throwable e) {}
    }

    @Test
    void find_added_untilRemoved() {
        Target target = new Target();
        int number = targets.add(target, random).getAsInt();
        assertSame(target, targets.find(number));
        assertNull(targets.find(number ^ 1 << 20));
        targets.remove(number ^ 1 << 20);
        assertSame(target, targets.find(number), "another number of the same place");
        targets.remove(number);
        assertNull(targets.find(number));
    }

    @Test
    void add_allPlacesTaken_empty() {
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < PLACES; i++) {
            int number = targets.add(new Target(), random).getAsInt();
            assertTrue(number >= PLACES && number < (1 << 24) - PLACES, () -> "a special queue pair: " + number);
            numbers.add(number);
        }
        assertEquals(PLACES, numbers.size());
        assertTrue(targets.add(new Target(), random).isEmpty());
        int freed = numbers.iterator().next();
        targets.remove(freed);
        assertEquals(freed & PLACES - 1, targets.add(new Target(), random).getAsInt() & PLACES - 1);
    }
}
