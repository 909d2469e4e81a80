package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** How files that are mapped get their pages. */
class FileMappingTest {

    private static final long BYTES = (64L << 20) + 4096;
    private static final int NO_SPACE = 28;

    private long allocated;
    private int calls;

    /** As with a profiler: every second call is interrupted, and so is each one that takes long. */
    private int interrupted(long from, long bytes) {
        assertTrue(++calls < 1000);
        if (calls % 2 == 0 || bytes > 4L << 20) {
            return -Linux.EINTR;
        }
        assertEquals(allocated, from);
        allocated += bytes;
        return 0;
    }

    @Test
    void signalsDuringTheAllocation_itCompletes() throws IOException {
        FileMapping.allocate(this::interrupted, BYTES);
        assertEquals(BYTES, allocated);
    }

    @Test
    void systemHasNoMemory_fails() {
        assertThrows(IOException.class, () -> FileMapping.allocate((from, bytes) -> from > 0 ? -NO_SPACE : 0, BYTES));
    }
}
