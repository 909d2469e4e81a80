package io.verbena.fabric.endnode;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import java.util.function.LongConsumer;

/** The program of one endnode: its memory, its queue pairs, and a CQ whose entries are processed when they are notified. */
final class VerbsNode {

    final Endnode endnode;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final MemoryRegion memory;
    private final LongConsumer onCompletion;

    VerbsNode(Endnode endnode, long bytes, int entries, LongConsumer onCompletion) {
        this.endnode = endnode;
        this.onCompletion = onCompletion;
        domain = endnode.rnic().allocateProtectionDomain();
        cq = endnode.rnic().createCompletionQueue(Math.max(2, entries));
        cursor = cq.cursor();
        memory = domain.allocate(Math.max(Long.BYTES, bytes), AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        cq.onReady(this::onReady);
        cq.requestNotification(Notification.NEXT);
    }

    MemoryRegion memory() {
        return memory;
    }

    QueuePair queuePair(int sendDepth) {
        return domain.createQueuePair(QueuePairOptions.of(cq).withDepths(sendDepth, 1));
    }

    private void onReady() {
        while (cursor.next()) {
            if (cursor.status() != CompletionStatus.SUCCESS) {
                throw new IllegalStateException(endnode + ": a write ended with " + cursor.status());
            }
            onCompletion.accept(cursor.wrId());
        }
        cq.requestNotification(Notification.NEXT);
    }
}
