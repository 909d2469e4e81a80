package io.verbena.sockets.stream;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A completion queue that a number of sockets share. The thread of the RNIC that signals it distributes its entries to the
 * sockets, without a change of threads.
 */
final class CompletionLane implements CqHandler {

    /** Sockets of a lane. */
    static final int SOCKETS = 64;

    private static final System.Logger LOG = System.getLogger("io.verbena.sockets");
    private static final int BATCH = 256;

    /** Runs the handler in the thread that signals. */
    static final HandlerProcessor DIRECT = (handler, work) -> work.run();

    private final CompletionQueue queue;
    private final CompletionCursor cursor;

    /** Signals that have not been served: the thread that makes it 1 serves them all. */
    private final AtomicInteger signals = new AtomicInteger();

    private final StreamSocket[] touched = new StreamSocket[SOCKETS];
    private int touchedCount;

    /** Sockets that use the queue; guarded by the network. */
    int sockets;

    CompletionLane(Rnic rnic, int entriesPerSocket) {
        CqHandlerId handler = rnic.setCompletionHandler(this, DIRECT);
        queue = rnic.createCompletionQueue(
                CompletionQueueOptions.capacity(SOCKETS * entriesPerSocket).withHandler(handler));
        cursor = queue.cursor();
        queue.requestNotification(Notification.NEXT);
    }

    CompletionQueue queue() {
        return queue;
    }

    @Override
    public void onCompletion(CompletionQueue any) {
        if (signals.getAndIncrement() > 0) {
            return; // the thread that is inside continues
        }
        int served = 1;
        do {
            distribute();
            queue.requestNotification(Notification.NEXT);
            served = signals.addAndGet(-served);
        } while (served > 0);
    }

    private void distribute() {
        boolean more = true;
        while (more) {
            int taken = 0;
            while (taken < BATCH && cursor.next()) {
                touch((StreamSocket) cursor.queuePair().context());
                taken++;
            }
            more = taken == BATCH;
            for (int i = 0; i < touchedCount; i++) {
                process(touched[i]);
            }
            touchedCount = 0;
        }
    }

    /** A socket that fails ends by itself: the others of the lane continue. */
    private static void process(StreamSocket socket) {
        try {
            socket.processInbox();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The stream socket " + socket + " failed and is reset.", e);
            socket.discard();
        }
    }

    private void touch(StreamSocket socket) {
        if (socket.onCompletion(cursor)) {
            touched[touchedCount++] = socket;
        }
    }
}
