package io.verbena.survival;

import io.verbena.base.Digest;
import java.util.ArrayList;
import java.util.List;

/**
 * What the responder of an association remembers of the requests of its peer: how many it has executed, and of the
 * last Reads and atomics which they were and what the atomics returned. Requests carry no number: a queue pair
 * delivers them in order, and both sides know where a queue pair begins.
 */
public final class ExecutionRecord {

    private final int depth;

    // Made for the first Read or atomic: most connections have none, and this is most of what an association holds.
    private long[] numbers = {};
    private long[] originals = {};
    private boolean[] reads = {};

    /** Entries ever made; the last ones are kept. */
    private long entries;

    /** The number of the last entry that was overwritten. */
    private long forgotten;

    private long executed;

    /** The peer has completed these: what they returned is not needed any more. */
    private long completedByPeer;

    /** The next entry that a repeated Read can belong to. */
    private long repeating;

    /** @param depth maximum number of Reads and atomics of the peer that it has sent and not completed */
    public ExecutionRecord(int depth) {
        if (depth < 1) {
            throw new IllegalArgumentException("depth must be 1 or more, not " + depth);
        }
        this.depth = depth;
    }

    private void makeEntries() {
        numbers = new long[depth];
        originals = new long[depth];
        reads = new boolean[depth];
    }

    /** The number of the request that the current queue pair delivers next. */
    public long next() {
        return repeats() ? numbers[slot(repeating)] : executed + 1;
    }

    /** Whether the next request is a Read that was executed before and whose data did not arrive. */
    public boolean repeats() {
        return repeating < entries;
    }

    private int slot(long entry) {
        return (int) (entry % depth);
    }

    /**
     * The next request has been executed, and everything that it placed can be seen.
     *
     * @param original what an atomic operation found; of other requests any value
     * @return whether the peer may send such a request now; if not, it violates the protocol and nothing is recorded
     */
    public boolean executed(RequestKind kind, long original) {
        if (repeats()) {
            if (kind != RequestKind.READ) {
                return false;
            }
            repeating = nextRepeat(repeating + 1);
            return true;
        }
        executed++;
        if (kind.answered()) {
            if (entries == 0) {
                makeEntries();
            }
            int slot = slot(entries);
            forgotten = entries < depth ? 0 : numbers[slot];
            numbers[slot] = executed;
            originals[slot] = original;
            reads[slot] = kind == RequestKind.READ;
            entries++;
            repeating = entries;
        }
        return true;
    }

    /** Whether this side can have executed what the peer has completed, and remembers everything since. */
    public boolean agreesWith(ResumePoint peer) {
        return peer.completed() >= completedByPeer && peer.completed() <= executed && peer.completed() >= forgotten;
    }

    /**
     * Continues over a new queue pair.
     *
     * @param peer agrees with this record
     */
    public void resume(ResumePoint peer) {
        assert agreesWith(peer) : peer;
        completedByPeer = peer.completed();
        repeating = nextRepeat(oldest());
    }

    private long oldest() {
        return Math.max(0, entries - depth);
    }

    /** The first entry from this one on that is a Read and not complete. */
    private long nextRepeat(long from) {
        long entry = from;
        while (entry < entries && !(reads[slot(entry)] && numbers[slot(entry)] > completedByPeer)) {
            entry++;
        }
        return entry;
    }

    /** Number of requests of the peer that were executed. */
    public long executed() {
        return executed;
    }

    /** The results that the peer may need, in ascending order of numbers. */
    public List<RecordedResult> results() {
        List<RecordedResult> results = new ArrayList<>();
        for (long entry = oldest(); entry < entries; entry++) {
            int slot = slot(entry);
            if (!reads[slot] && numbers[slot] > completedByPeer) {
                results.add(new RecordedResult(numbers[slot], originals[slot]));
            }
        }
        return results;
    }

    /** Changes whenever the state does. */
    public long stateDigest() {
        long digest = Digest.mix(Digest.mix(Digest.mix(executed, completedByPeer), repeating), forgotten);
        for (long entry = oldest(); entry < entries; entry++) {
            int slot = slot(entry);
            digest = Digest.mix(Digest.mix(digest, numbers[slot]), reads[slot] ? -1 : originals[slot]);
        }
        return digest;
    }
}
