package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class WrFlagsTest {

    private static final List<UnaryOperator<WrFlags>> CHANGES =
            List.of(WrFlags::withFence, WrFlags::withSolicited, WrFlags::withInline, WrFlags::withNotify);

    /** Flags are changed for each work request with inline data. */
    @Test
    void anyCombination_changedTwice_isTheSameObject() {
        for (int i = 0; i < 1 << 5; i++) {
            WrFlags flags = new WrFlags((i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0, (i & 16) != 0);
            for (int change = 0; change < CHANGES.size(); change++) {
                int bits = i | 2 << change;
                WrFlags changed = CHANGES.get(change).apply(flags);
                assertSame(changed, CHANGES.get(change).apply(flags));
                assertEquals(
                        new WrFlags(
                                (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0),
                        changed);
            }
        }
    }
}
