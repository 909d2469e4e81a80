package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Posting and polling allocate nothing. The functions of the adapter are native ones that do nothing. */
class AdapterAllocationTest {

    private static final int ROUNDS = 20_000;
    private static final int TRIALS = 20;

    /** Less than one object for each hundred rounds. */
    private static final long MOST_BYTES = ROUNDS / 100 * 16L;

    @Test
    void postingAndPolling_allocateNothing() {
        try (FakeLibrary fake = new FakeLibrary()) {
            IbverbsProvider provider =
                    new IbverbsProvider(fake::libraries, new Obstacles(Path.of("/none"), Path.of("/none")), true);
            fake.adapter().nativeDataPath();
            try (Rnic rnic = provider.open(RnicOptions.defaults());
                    ProtectionDomain domain = rnic.allocateProtectionDomain();
                    CompletionQueue cq = rnic.createCompletionQueue(16);
                    MemoryRegion region = domain.allocate(64, AccessRight.LOCAL_WRITE);
                    HardwareQueuePair queuePair = (HardwareQueuePair) domain.createQueuePair(cq)) {
                queuePair.states().assumeConnected();
                WorkRequest template = queuePair.newWorkRequest().send().gather(region, 0, 8);
                long least = Long.MAX_VALUE;
                for (int trial = 0; trial < TRIALS && least > MOST_BYTES; trial++) {
                    long before = allocatedBytes();
                    rounds(queuePair, cq.cursor(), region, template);
                    least = Math.min(least, allocatedBytes() - before);
                }
                long bytes = least;
                assertTrue(bytes <= MOST_BYTES, () -> bytes + " bytes for " + ROUNDS + " rounds");
            }
        }
    }

    private static void rounds(
            HardwareQueuePair queuePair, CompletionCursor cursor, MemoryRegion region, WorkRequest template) {
        for (int i = 0; i < ROUNDS; i++) {
            assertTrue(queuePair.postWrite(i, region, 0, 8, 0, 0, WrFlags.SIGNALLED));
            assertTrue(queuePair.postSend(i, region, 0, 8, WrFlags.SIGNALLED.withInline()));
            assertTrue(queuePair.post(template));
            assertTrue(queuePair.postReceive(i, region, 0, 8));
            assertFalse(cursor.next());
            // The adapter would report the last of them.
            queuePair
                    .sends()
                    .completeThrough(Math.floorMod(
                            queuePair.sends().next() - 1, queuePair.sends().depth()));
            queuePair
                    .receives()
                    .completeThrough(Math.floorMod(
                            queuePair.receives().next() - 1,
                            queuePair.receives().depth()));
        }
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
