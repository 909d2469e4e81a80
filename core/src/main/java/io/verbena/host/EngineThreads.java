package io.verbena.host;

import io.verbena.rnic.EngineActivity;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/** The engine threads of one RNIC, and the threads that wait for its work. */
final class EngineThreads {

    private final EngineThread[] threads;
    private final ProgressWait progress;

    /** Threads that are not started yet. */
    EngineThreads(EngineThread... threads) {
        this.threads = threads;
        progress = new ProgressWait(threads, new ParkingWaitPoint(this::check));
    }

    void start() {
        for (EngineThread thread : threads) {
            thread.start();
        }
    }

    /** Whether the RNIC has no engine threads. */
    boolean none() {
        return threads.length == 0;
    }

    /**
     * There is work for an engine.
     *
     * @throws VerbsException if the engine has failed
     */
    void wake(int engine) {
        check(threads[engine]);
        threads[engine].wake();
    }

    /** What an engine thread has done; empty for an RNIC without such threads. Any thread. */
    Optional<EngineActivity> activity(int engine) {
        return none() ? Optional.empty() : Optional.of(threads[engine].activity());
    }

    /** See {@link Borrowing#takeForDoorbell}. */
    boolean takeForDoorbell(int engine) {
        return threads[engine].borrowing().takeForDoorbell();
    }

    /** Fails if an engine has failed. */
    void check() {
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
    int progress(long timeoutNs) {
        check();
        int work = progress.progress(timeoutNs);
        check();
        return work;
    }

    /** See {@link Borrowing#release}. */
    void release() {
        for (EngineThread thread : threads) {
            thread.borrowing().release();
        }
    }

    /** Ends the {@link #progress} that waits, or the next one. */
    void endProgress() {
        progress.end();
    }

    /** Whether the calling thread drives one of the engines now. */
    boolean driveHere() {
        Thread current = Thread.currentThread();
        for (EngineThread thread : threads) {
            if (thread.drivenBy(current)) {
                return true;
            }
        }
        return false;
    }

    /** Stops all engines. Returns false if one does not stop in time. */
    boolean stop(long timeoutNs) {
        progress.close();
        boolean stopped = true;
        for (EngineThread thread : threads) {
            stopped &= thread.stop(timeoutNs);
        }
        return stopped;
    }

    /** Closes the streams of each engine: now, or at the end of its current turn. */
    void closeLoops() {
        for (EngineThread thread : threads) {
            thread.closeLoopAtEnd();
        }
    }
}
