package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Receives of random lengths, each in a slot of its own, for tests with hostile packets: each completes exactly once, and only
 * the bytes of posted receives change.
 */
final class GuardedReceives {

    static final byte UNTOUCHED = 0x5a;
    private static final int SLOT_BYTES = 4_096;
    private static final int SHORTEST_BYTES = 64;
    private static final int SLOTS = 1_024;

    private final QueuePair queuePair;
    private final CompletionCursor cursor;
    private final SplittableRandom random;
    private final MemoryRegion memory;
    private final int[] length = new int[SLOTS];
    private final byte[][] completed = new byte[SLOTS][];
    private int posted;
    private int done;
    private int succeeded;
    private int sends;
    private int sendsDone;

    GuardedReceives(ProtectionDomain domain, QueuePair queuePair, CompletionCursor cursor, SplittableRandom random) {
        this.queuePair = queuePair;
        this.cursor = cursor;
        this.random = random;
        memory = domain.allocate((long) SLOTS * SLOT_BYTES, AccessRight.LOCAL_WRITE);
        memory.segment().fill(UNTOUCHED);
    }

    /** Posts a receive, if few are posted. */
    void post() {
        if (posted < SLOTS && posted - done < 8) {
            // A receive shorter than every message would remain the oldest one.
            int bytes = SHORTEST_BYTES + random.nextInt(random.nextInt(4) == 0 ? 64 : SLOT_BYTES - 2 * SHORTEST_BYTES);
            if (queuePair.postReceive(posted, memory, (long) posted * SLOT_BYTES, bytes)) {
                length[posted++] = bytes;
            }
        }
    }

    /** A send of the same queue pair was posted. */
    void sent() {
        sends++;
    }

    int receivesSucceeded() {
        return succeeded;
    }

    private MemorySegment slot(int index) {
        return memory.segment().asSlice((long) index * SLOT_BYTES, SLOT_BYTES);
    }

    /** Takes the completions. */
    void poll() {
        while (cursor.next()) {
            if (cursor.wrId() >= SLOTS) {
                assertEquals(SLOTS + sendsDone++, cursor.wrId(), "sends complete in order, once");
                continue;
            }
            assertEquals(done, cursor.wrId(), "receives complete in order, once");
            if (cursor.status() == CompletionStatus.SUCCESS) {
                succeeded++;
                boolean placed = !cursor.opcode().name().contains("WRITE");
                assertTrue(!placed || cursor.byteCount() <= length[done], () -> cursor.byteCount() + " bytes");
            } else {
                assertEquals(CompletionStatus.FLUSHED, cursor.status());
            }
            completed[done] = slot(done).toArray(JAVA_BYTE);
            done++;
        }
    }

    /** The identification of the next send. */
    long nextSend() {
        return SLOTS + (long) sends;
    }

    /** The queue pair has ended: everything is complete, and nothing else has changed. */
    void checkEnd(ManualWorld world) {
        for (int i = 0; i < 8; i++) {
            // The CQ may not have space for all of them at once.
            world.advance(100_000_000);
            poll();
        }
        assertEquals(posted, done, "each receive has completed");
        assertEquals(sends, sendsDone, "each send has completed");
        for (int i = 0; i < SLOTS; i++) {
            byte[] now = slot(i).toArray(JAVA_BYTE);
            for (int at = length[i]; at < SLOT_BYTES; at++) {
                assertEquals(UNTOUCHED, now[at], "byte " + at + " of receive " + i);
            }
            if (i < posted) {
                assertEquals(
                        -1,
                        MemorySegment.ofArray(now).mismatch(MemorySegment.ofArray(completed[i])),
                        "after completion");
            }
        }
    }
}
