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

/** The program of one endnode: its memory, its queue pairs, and a CQ whose entries are processed when they are notified. */
final class VerbsNode {

    final Endnode endnode;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final MemoryRegion memory;
    private final Completions completions;

    /** Receives the completions of a node. */
    @FunctionalInterface
    interface Completions {
        void onCompletion(long wrId, CompletionStatus status, long bytes);
    }

    VerbsNode(Endnode endnode, long bytes, int entries, Completions completions) {
        this.endnode = endnode;
        this.completions = completions;
        domain = endnode.rnic().allocateProtectionDomain();
        cq = endnode.rnic().createCompletionQueue(Math.max(2, entries));
        cursor = cq.cursor();
        AccessRight[] rights = endnode.adapter().incomingRdma()
                ? new AccessRight[] {AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE}
                : new AccessRight[] {AccessRight.LOCAL_WRITE};
        memory = domain.allocate(Math.max(Long.BYTES, bytes), rights);
        cq.onReady(this::onReady);
        cq.requestNotification(Notification.NEXT);
    }

    MemoryRegion memory() {
        return memory;
    }

    QueuePair queuePair(int sendDepth, int receiveDepth) {
        return domain.createQueuePair(QueuePairOptions.of(cq).withDepths(sendDepth, receiveDepth));
    }

    private void onReady() {
        while (cursor.next()) {
            completions.onCompletion(cursor.wrId(), cursor.status(), cursor.byteCount());
        }
        cq.requestNotification(Notification.NEXT);
    }
}
