package io.verbena.memory;

import io.verbena.base.RandomSource;
import java.util.function.IntPredicate;

/**
 * Draws the values of remote keys: random over all 32 bits, never 0, and not among the last 65,536 that were retired (RFC 5040
 * section 8.1.1 [8], RFC 5042 section 6.2.2).
 */
final class KeyValues {

    private static final int ATTEMPTS = 1000;

    private final RandomSource random;
    private final RetiredKeys retired = new RetiredKeys();

    KeyValues(RandomSource random) {
        this.random = random;
    }

    /** A value that is not retired and that {@code free} accepts. */
    int draw(IntPredicate free) {
        for (int i = 0; i < ATTEMPTS; i++) {
            int value = random.nextInt();
            if (value != 0 && free.test(value) && !retired.mayContain(value)) {
                return value;
            }
        }
        throw new IllegalStateException("the random source produced no unused key in " + ATTEMPTS + " attempts");
    }

    /** A key does not have the value any more. */
    void retire(int value) {
        retired.add(value);
    }
}
