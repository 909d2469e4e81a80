package io.verbena.messaging.ring;

/** Counters of one channel; written by the thread that drives the channel only. */
public final class Counters {
    public long enlargements;
    public long shrinks;
    public long refusals;
    public long repetitions;
    public long sent;
    public long received;
    public long copies;
    public long copiedBytes;
    public long announced;
    public long returnWrites;
    public long eager;
    public long rendezvous;

    /** Counts one payload copied into or out of a slot. */
    public void copied(long bytes) {
        copies++;
        copiedBytes += bytes;
    }
}
