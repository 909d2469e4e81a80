package io.verbena.tools.handlers;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.tools.text.Latencies;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;

/**
 * One end of the messaging consumer. The sender puts the time into each message; the receiver, driven by its CQ handler,
 * notes how old it is. Both ends are in one process, so they have one clock.
 */
final class Messages {

    private static final int BYTES = 64;
    private static final int ROOM = 256;

    /** One more than the queue holds: the buffer of a message must not change before its Send is complete. */
    private static final int SLOTS = ROOM + 1;

    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final Latencies ages = new Latencies();
    private long sent;
    private long lost;
    private volatile boolean measuring;

    Messages(ProtectionDomain domain, CompletionQueue cq) {
        cursor = cq.cursor();
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(ROOM, ROOM));
        memory = domain.allocate((long) SLOTS * BYTES, AccessRight.LOCAL_WRITE);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Makes this the receiving end. */
    void receives() {
        for (int slot = 0; slot < ROOM; slot++) {
            queuePair.postReceive(slot, memory, (long) slot * BYTES, BYTES);
        }
    }

    /** From now on what arrives counts; the handler's processor reads it sooner or later. */
    void measure() {
        measuring = true;
    }

    /** Sends one; takes back what has been sent. */
    void send(long nowNs) {
        while (cursor.next()) {
            // room
        }
        long at = sent % SLOTS * BYTES;
        memory.segment().set(JAVA_LONG, at, nowNs);
        if (queuePair.postSend(0, memory, at, BYTES, WrFlags.SIGNALLED)) {
            sent++;
        } else {
            lost++; // the receiver is too slow
        }
    }

    /** Takes messages that have arrived. */
    void handle() {
        while (cursor.next()) {
            if (cursor.ok() && cursor.opcode() == CompletionOpcode.RECEIVE) {
                long at = cursor.wrId() * BYTES;
                long sentAtNs = memory.segment().get(JAVA_LONG, at);
                long ageNs = System.nanoTime() - sentAtNs;
                if (measuring) {
                    ages.record(ageNs);
                }
                queuePair.postReceive(cursor.wrId(), memory, at, BYTES);
            }
        }
    }

    /** Ages of messages when they were handled; the handler must not run any more. */
    Latencies ages() {
        return ages;
    }

    /** Messages for which there was no room. */
    long lost() {
        return lost;
    }
}
