package io.verbena.bench.side.peer;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The other side of a contestant for the length of one run: a thread whose failure is not lost. */
public final class Peer {

    private static final long LIMIT_S = 60;

    private final FutureTask<Void> task;

    private Peer(FutureTask<Void> task) {
        this.task = task;
    }

    /** What a peer does. */
    public interface Work {
        void run() throws Exception;
    }

    public static Peer start(Work work) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        Thread.ofPlatform().name("peer").daemon().start(task);
        return new Peer(task);
    }

    /** Waits for its end. */
    public void join() throws InterruptedException {
        try {
            task.get(LIMIT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the other side failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("the other side did not end within " + LIMIT_S + " s", e);
        }
    }
}
