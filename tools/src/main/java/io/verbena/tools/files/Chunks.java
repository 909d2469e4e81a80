package io.verbena.tools.files;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/** A file in chunks, and which of them are done: several threads claim them, finish them or give them back. */
final class Chunks {

    private final long length;
    private final int chunkBytes;
    private final int count;
    private final BitSet done = new BitSet();
    private final Deque<Integer> returned = new ArrayDeque<>();
    private int next;
    private int finished;
    private long finishedBytes;
    private long progressNs = System.nanoTime();
    private boolean cancelled;

    Chunks(long length, int chunkBytes) {
        this.length = length;
        this.chunkBytes = chunkBytes;
        this.count = Math.toIntExact(Math.ceilDiv(length, chunkBytes));
    }

    /** A chunk size, at least the one wished for, that makes no more chunks than memory has room to note. */
    static int fitting(long length, int wishedBytes) {
        long bytes = wishedBytes;
        while (Math.ceilDiv(length, bytes) > 1 << 24 && bytes < FileMessage.MAX_SUM_BYTES) {
            bytes *= 2;
        }
        return (int) bytes;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    int count() {
        return count;
    }

    long offset(int chunk) {
        return (long) chunk * chunkBytes;
    }

    /** The last one may be shorter. */
    int length(int chunk) {
        return (int) Math.min(chunkBytes, length - offset(chunk));
    }

    /** The next chunk to work on, or -1 when there is none (left) to claim. */
    synchronized int claim() {
        if (cancelled) {
            return -1;
        }
        if (!returned.isEmpty()) {
            return returned.pop();
        }
        return next < count ? next++ : -1;
    }

    /** A claimed chunk is not done, and somebody else may do it. */
    synchronized void giveBack(int chunk) {
        returned.push(chunk);
    }

    /** A claimed chunk is done. */
    synchronized void finish(int chunk) {
        done.set(chunk);
        finished++;
        finishedBytes += length(chunk);
        progressNs = System.nanoTime();
        if (finished == count) {
            notifyAll();
        }
    }

    /** Something else went forward, such as a connection that stands again. */
    synchronized void noteProgress() {
        progressNs = System.nanoTime();
    }

    synchronized boolean isFinished() {
        return finished == count;
    }

    /** Nobody claims any more. */
    synchronized void cancel() {
        cancelled = true;
        notifyAll();
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    synchronized long finishedBytes() {
        return finishedBytes;
    }

    /** For how long nothing went forward. */
    synchronized long stuckNs() {
        return System.nanoTime() - progressNs;
    }

    /** What is done, as a copy. */
    synchronized BitSet done() {
        return (BitSet) done.clone();
    }

    /** Waits until everything is done or cancelled, or the time has passed. */
    synchronized void await(Duration longest) throws InterruptedException {
        long deadlineNs = System.nanoTime() + longest.toNanos();
        while (finished < count && !cancelled) {
            long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                return;
            }
            wait(leftMs);
        }
    }
}
