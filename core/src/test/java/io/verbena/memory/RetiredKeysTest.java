package io.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The memory of retired keys against a set of the last ones. */
class RetiredKeysTest {

    /** Ten thousand RNICs that close must not need gigabytes. */
    @Test
    void firstKeys_retired_needLittleMemory() {
        RetiredKeys keys = new RetiredKeys();
        assertEquals(0, keys.bytes());
        Random random = new Random(1);
        for (int i = 0; i < 4; i++) {
            keys.add(random.nextInt());
        }
        assertTrue(keys.bytes() <= 4 * 512 + 4_096, keys.bytes() + " bytes");
    }

    @Test
    void lastKeys_retired_areRemembered_andOlderOnesForgotten() {
        RetiredKeys keys = new RetiredKeys();
        Random random = new Random(2);
        int first = random.nextInt();
        keys.add(first);
        Set<Integer> last = new HashSet<>();
        for (int i = 0; i < 3 * RetiredKeys.GENERATION; i++) {
            int key = random.nextInt();
            keys.add(key);
            if (i >= 2 * RetiredKeys.GENERATION) {
                last.add(key);
            }
        }
        for (int key : last) {
            assertTrue(keys.mayContain(key));
        }
        int wrong = 0;
        for (int i = 0; i < 10_000; i++) {
            wrong += keys.mayContain(random.nextInt()) ? 1 : 0;
        }
        assertTrue(wrong < 2_000, wrong + " of 10,000 unused keys are considered retired");
        assertFalse(new RetiredKeys().mayContain(first));
    }
}
