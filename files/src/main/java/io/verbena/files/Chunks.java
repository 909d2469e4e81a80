package io.verbena.files;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/** A file divided into chunks. Several threads claim chunks, and finish them or give them back. */
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

    /** The requested chunk size, or a larger one if that would make more chunks than fit the table. */
    static int fitting(long length, int requestedBytes) {
        long bytes = requestedBytes;
        while (Math.ceilDiv(length, bytes) > 1 << 24 && bytes < FileMessage.MAX_SUM_BYTES) {
            bytes *= 2;
        }
        return (int) bytes;
    }

    /** The length of the file. */
    long bytes() {
        return length;
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

    /** The length of a chunk; the last chunk may be shorter. */
    int length(int chunk) {
        return (int) Math.min(chunkBytes, length - offset(chunk));
    }

    /** The next chunk to work on, or -1 if there is none left or the copy was cancelled. */
    synchronized int claim() {
        if (cancelled) {
            return -1;
        }
        if (!returned.isEmpty()) {
            return returned.pop();
        }
        return next < count ? next++ : -1;
    }

    /** Returns a claimed chunk that is not done, for another thread to claim. */
    synchronized void giveBack(int chunk) {
        returned.push(chunk);
    }

    /** Marks a claimed chunk as done. */
    synchronized void finish(int chunk) {
        done.set(chunk);
        finished++;
        finishedBytes += length(chunk);
        progressNs = System.nanoTime();
        if (finished == count) {
            notifyAll();
        }
    }

    synchronized boolean isFinished() {
        return finished == count;
    }

    /** Makes every later claim fail. */
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

    /** Time since the last progress. */
    synchronized long stuckNs() {
        return System.nanoTime() - progressNs;
    }

    /** The finished chunks, as a copy. */
    synchronized BitSet done() {
        return (BitSet) done.clone();
    }

    /** Waits until all chunks are done, the copy is cancelled, or the time has passed. */
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
