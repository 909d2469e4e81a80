package io.verbena.files.protocol;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/** A file divided into chunks. Several threads claim chunks, and finish them or give them back. */
public final class Chunks {

    private final long length;
    private final int chunkBytes;
    private final int count;
    private final BitSet done = new BitSet();
    private final Deque<Integer> returned = new ArrayDeque<>();
    private int next;
    private int finished;
    private long finishedBytes;
    private boolean cancelled;

    public Chunks(long length, int chunkBytes) {
        this.length = length;
        this.chunkBytes = chunkBytes;
        this.count = Math.toIntExact(Math.ceilDiv(length, chunkBytes));
    }

    /** The requested chunk size, or a larger one if that would make more chunks than fit the table. */
    public static int fitting(long length, int requestedBytes) {
        long bytes = requestedBytes;
        while (Math.ceilDiv(length, bytes) > 1 << 24 && bytes < FileMessage.MAX_SUM_BYTES) {
            bytes *= 2;
        }
        return (int) bytes;
    }

    /** The length of the file. */
    public long bytes() {
        return length;
    }

    public int chunkBytes() {
        return chunkBytes;
    }

    public int count() {
        return count;
    }

    public long offset(int chunk) {
        return (long) chunk * chunkBytes;
    }

    /** The length of a chunk; the last chunk may be shorter. */
    public int length(int chunk) {
        return (int) Math.min(chunkBytes, length - offset(chunk));
    }

    /** The next chunk to work on, or -1 if there is none left or the copy was cancelled. */
    public synchronized int claim() {
        if (cancelled) {
            return -1;
        }
        if (!returned.isEmpty()) {
            return returned.pop();
        }
        return next < count ? next++ : -1;
    }

    /** Returns a claimed chunk that is not done, for another thread to claim. */
    public synchronized void giveBack(int chunk) {
        returned.push(chunk);
    }

    /** Marks a claimed chunk as done. */
    public synchronized void finish(int chunk) {
        done.set(chunk);
        finished++;
        finishedBytes += length(chunk);
        if (finished == count) {
            notifyAll();
        }
    }

    public synchronized boolean isFinished() {
        return finished == count;
    }

    /** Makes every later claim fail. */
    public synchronized void cancel() {
        cancelled = true;
        notifyAll();
    }

    public synchronized boolean isCancelled() {
        return cancelled;
    }

    public synchronized long finishedBytes() {
        return finishedBytes;
    }

    /** The finished chunks, as a copy. */
    public synchronized BitSet done() {
        return (BitSet) done.clone();
    }

    /** Waits until all chunks are done, the copy is cancelled, or the time has passed. */
    public synchronized void await(Duration longest) throws InterruptedException {
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
