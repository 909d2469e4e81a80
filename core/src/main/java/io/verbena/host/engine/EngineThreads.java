package io.verbena.host.engine;

import io.verbena.rnic.context.EngineActivity;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/** The engine threads of one RNIC, and the threads that wait for its work. */
public final class EngineThreads {

    private final EngineThread[] threads;
    private final ProgressWait progress;

    /** Threads that are not started yet. */
    public EngineThreads(EngineThread... threads) {
        this.threads = threads;
        progress = new ProgressWait(threads, new ParkingWaitPoint(this::check));
    }

    public void start() {
        for (EngineThread thread : threads) {
            thread.start();
        }
    }

    /** Whether the RNIC has no engine threads. */
    public boolean none() {
        return threads.length == 0;
    }

    /**
     * There is work for an engine.
     *
     * @throws VerbsException if the engine has failed
     */
    public void wake(int engine) {
        check(threads[engine]);
        threads[engine].wake();
    }

    /** What an engine thread has done; empty for an RNIC without such threads. Any thread. */
    public Optional<EngineActivity> activity(int engine) {
        return none() ? Optional.empty() : Optional.of(threads[engine].activity());
    }

    /** See {@link Borrowing#takeForDoorbell}. */
    public boolean takeForDoorbell(int engine) {
        return threads[engine].borrowing().takeForDoorbell();
    }

    /** See {@link Borrowing#beginPost}. */
    public boolean beginPost(int engine) {
        return threads[engine].borrowing().beginPost();
    }

    /** See {@link Borrowing#endPost}. */
    public void endPost(int engine) {
        threads[engine].borrowing().endPost();
    }

    /** See {@link Borrowing#letGoUnused}. */
    public void letGo(int engine) {
        threads[engine].borrowing().letGoUnused();
    }

    /** Fails if an engine has failed. */
    public void check() {
        for (EngineThread thread : threads) {
            check(thread);
        }
    }

    private static void check(EngineThread thread) {
        Throwable failure = thread.failure();
        if (failure != null) {
            throw new VerbsException("An engine of this RNIC has failed and was stopped: " + failure, failure);
        }
    }

    /** See {@link ProgressWait#progress}. */
    public int progress(long timeoutNs) {
        check();
        int work = progress.progress(timeoutNs);
        check();
        return work;
    }

    /** See {@link Borrowing#release}. */
    public void release() {
        for (EngineThread thread : threads) {
            thread.borrowing().release();
        }
    }

    /** Ends the {@link #progress} that waits, or the next one. */
    public void endProgress() {
        progress.end();
    }

    /** Whether the calling thread drives one of the engines now. */
    public boolean driveHere() {
        Thread current = Thread.currentThread();
        for (EngineThread thread : threads) {
            if (thread.drivenBy(current)) {
                return true;
            }
        }
        return false;
    }

    /** Stops all engines. Returns false if one does not stop in time. */
    public boolean stop(long timeoutNs) {
        progress.close();
        boolean stopped = true;
        for (EngineThread thread : threads) {
            stopped &= thread.stop(timeoutNs);
        }
        return stopped;
    }

    /** Closes the streams of each engine: now, or at the end of its current turn. */
    public void closeLoops() {
        for (EngineThread thread : threads) {
            thread.closeLoopAtEnd();
        }
    }
}
