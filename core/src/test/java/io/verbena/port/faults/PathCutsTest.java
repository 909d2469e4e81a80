package io.verbena.port.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class PathCutsTest {

    @Test
    void cutPaths_areLostUntilTheyAreMended() {
        PathCuts cuts = new PathCuts();
        assertFalse(cuts.any());
        cuts.cut(0);
        cuts.cut(63);
        cuts.cut(63);
        assertTrue(cuts.isCut(63));
        assertFalse(cuts.isCut(62));
        assertFalse(cuts.isCut(64), "no path of any connection");
        cuts.mend(63);
        cuts.mend(5);
        assertTrue(cuts.isCut(0));
        cuts.mend(0);
        assertFalse(cuts.any());
    }

    @Test
    void wrongNumbers_andTheSharedObject_areRefused() {
        PathCuts cuts = new PathCuts();
        for (int path : List.of(-1, 64, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
            assertThrows(IllegalArgumentException.class, () -> cuts.cut(path));
        }
        assertThrows(UnsupportedOperationException.class, () -> PathCuts.NONE.cut(1));
    }

    @Test
    void plan_keepsItsOtherFaults() {
        PathCuts cuts = new PathCuts();
        PacketFaults plan = PacketFaults.none()
                .withLoss(3)
                .withOutages(100, 7)
                .withCuts(cuts)
                .withOutages(200, 8);
        assertEquals(new PacketFaults.Outages(200, 8, cuts), plan.outages());
        assertEquals(3, plan.loseOneIn());
    }
}
