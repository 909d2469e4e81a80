package io.verbena.tools.perf;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;

/**
 * One connection that is measured, as either side has it: a queue pair and its {@link PerfMemory}.
 *
 * <p>Every message of a kind uses the same place, as in perftest. All receives are posted before the connection and again as
 * they complete, so their number is the same whenever no run is under way.
 */
final class PerfLink {

    /** Work that is no message: credits and the flush at the end. */
    private static final int SPARE = 16;

    private static final int MOST_READS = 16;
    private static final int LEAST_RECEIVES = 16;
    private static final int INDEX_SHIFT = 48;
    private static final long COUNT_MASK = (1L << INDEX_SHIFT) - 1;

    private final QueuePair queuePair;
    private final PerfMemory areas;
    private final MemoryRegion memory;
    private final int maxBytes;
    private final int receives;
    private final long idBase;
    private RemoteRegion remote = new RemoteRegion(0, 0, 0);

    /** Messages posted, and those of them that are known to be complete. Work completes in order. */
    private long posted;

    private long completed;

    /** Receives that the peer has for us. */
    private int credits;

    /** Receives that completed here but were not reported to the peer. */
    private int uncredited;

    /** Receives that are to be posted as soon as there is room. */
    private int owed;

    PerfLink(ProtectionDomain pd, CompletionQueue cq, int index, int maxBytes, int depth) {
        this.maxBytes = maxBytes;
        this.receives = receives(depth);
        this.credits = receives;
        this.idBase = (long) index << INDEX_SHIFT;
        this.areas = new PerfMemory(pd, maxBytes);
        this.memory = areas.region();
        this.queuePair = pd.createQueuePair(QueuePairOptions.of(cq)
                .withDepths(depth + SPARE, receives)
                .withElements(1, 1)
                .withReads(MOST_READS, MOST_READS));
        for (int i = 0; i < receives; i++) {
            postReceive();
        }
    }

    /** Receives on each side for a client's depth: twice as many, so that the client has room while it waits for credit. */
    static int receives(int depth) {
        return Math.max(LEAST_RECEIVES, 2 * depth);
    }

    /** Completions that wait to be polled at most. */
    static int completions(int depth) {
        return depth + SPARE + receives(depth);
    }

    static int index(long wrId) {
        return (int) (wrId >>> INDEX_SHIFT);
    }

    /** Whether a message fits into an area. */
    boolean holds(int bytes) {
        return bytes <= maxBytes;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    RemoteRegion region() {
        return memory.remote();
    }

    /** The peer's memory, which must be laid out as ours. */
    void remote(RemoteRegion region) throws Failure {
        if (region.length() < memory.length()) {
            throw new Failure("The peer registered " + region.length() + " bytes of memory, and " + memory.length()
                    + " are needed");
        }
        remote = region;
    }

    // Receives and credit.

    /**
     * Posts a receive again that has completed. Its place in the queue may come free a moment after its completion shows; then it
     * is posted with the next one.
     */
    void postReceive() {
        owed++;
        while (owed > 0 && queuePair.postReceive(idBase, memory, areas.inboundOffset(), maxBytes)) {
            owed--;
        }
    }

    /** Messages that one credit, an empty Send, stands for. */
    int creditStep() {
        return receives / 4;
    }

    int credits() {
        return credits;
    }

    /** The peer has posted more receives. */
    void onCredit() {
        credits += creditStep();
    }

    /** A message was received and its receive was posted again, or is owed; tells the peer now and then. */
    void onMessage() {
        if (++uncredited - owed >= creditStep() && queuePair.postSend(idBase, memory, 0, 0, WrFlags.UNSIGNALLED)) {
            uncredited -= creditStep();
        }
    }

    // Messages.

    long posted() {
        return posted;
    }

    int outstanding() {
        return (int) (posted - completed);
    }

    /** All messages up to the one with this number are complete. */
    void onCompleted(long wrId) {
        completed = Math.max(completed, wrId & COUNT_MASK);
    }

    /** A run begins: whatever was posted before is complete, whether it said so or not. */
    void settle() {
        completed = posted;
    }

    boolean postWrite(int bytes, WrFlags flags) {
        return count(queuePair.postWrite(
                nextId(), memory, 0, bytes, remote.address() + areas.inboundOffset(), remote.rkey(), flags));
    }

    boolean postRead(int bytes, WrFlags flags) {
        return count(queuePair.postRead(
                nextId(), memory, areas.inboundOffset(), bytes, remote.address(), remote.rkey(), flags));
    }

    boolean postSend(int bytes, WrFlags flags) {
        if (credits > 0 && count(queuePair.postSend(nextId(), memory, 0, bytes, flags))) {
            credits--;
            return true;
        }
        return false;
    }

    /** A Send that needs no credit, since one at a time is under way. */
    boolean postPing(int bytes, WrFlags flags) {
        return count(queuePair.postSend(nextId(), memory, 0, bytes, flags));
    }

    boolean postFetchAndAdd(WrFlags flags) {
        return count(queuePair.postFetchAndAdd(
                nextId(),
                memory,
                areas.resultOffset(),
                remote.address() + areas.wordOffset(),
                remote.rkey(),
                1,
                flags));
    }

    private long nextId() {
        return idBase | ((posted + 1) & COUNT_MASK);
    }

    private boolean count(boolean taken) {
        if (taken) {
            posted++;
        }
        return taken;
    }

    // The flag of write_lat.

    void clearFlag(int bytes) {
        areas.clearFlag(bytes);
    }

    void flagToSend(int bytes, byte flag) {
        areas.flagToSend(bytes, flag);
    }

    boolean flagCame(int bytes, byte flag) {
        return areas.flagCame(bytes, flag);
    }

    void close() {
        queuePair.close();
        memory.close();
    }
}
