package io.verbena.sockets.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs work one after the other, in one thread of another executor at a time. */
final class Batches implements Executor {

    private final Executor threads;

    // Guarded by this.
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean running;

    Batches(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable work) {
        synchronized (this) {
            waiting.add(work);
            if (running) {
                return;
            }
            running = true;
        }
        threads.execute(this::next);
    }

    /** One at a time, so that other work of the executor has its turn. */
    private void next() {
        Runnable work;
        synchronized (this) {
            work = waiting.remove();
        }
        try {
            work.run();
        } finally {
            boolean more;
            synchronized (this) {
                more = !waiting.isEmpty();
                running = more;
            }
            if (more) {
                threads.execute(this::next);
            }
        }
    }
}
