package io.verbena.host;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The default handler processor of an INLINE RNIC: handlers run in the owner's thread after a turn, for only that thread may
 * poll and post.
 */
final class InlineHandlers implements HandlerProcessor {

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean closed;

    @Override
    public synchronized void signal(CqHandlerId handler, Runnable work) {
        if (!closed) {
            waiting.addLast(work);
        }
    }

    private synchronized @Nullable Runnable next() {
        return waiting.pollFirst();
    }

    private synchronized int size() {
        return waiting.size();
    }

    /** Runs those that wait now; one that signals itself again waits for the next round. */
    int runAll() {
        int count = size();
        int ran = 0;
        for (; ran < count; ran++) {
            Runnable work = next();
            if (work == null) {
                break;
            }
            work.run();
        }
        return ran;
    }

    synchronized void close() {
        closed = true;
        waiting.clear();
    }
}
