package io.verbena.host.engine;

import java.util.function.LongPredicate;

/**
 * What an INLINE thread does between two polls that find nothing. The peer may need this processor, or run on another one:
 *
 * <pre>
 *   what else runs here              recognized by                            between two polls
 *   nothing                          a yield that returns at once             nothing; a yield after 20 µs
 *   the peer                         a yield that lasts for some µs           a yield after 0.5 µs
 *   a thread that computes           yields that last for a time slice        nothing for 100 µs, then a wait in the system
 *   such threads on all processors   spins in vain, four in a row             a wait at once, for 20 ms
 * </pre>
 *
 * A yield to a thread that computes lasts until the next tick of the system, up to 4 ms, whereas a thread that waits is often woken
 * in less. The compiler of the JVM is such a thread: for some seconds after the start it occupies a processor, and the peer, which
 * is on the other one or on this one, answers in microseconds if it is given the chance.
 *
 * <p>For one thread.
 */
final class PollPause {

    /** A pause between two polls. */
    enum Kind {
        /** The next poll follows at once. */
        NONE,
        /** The processor is given away. */
        YIELD,
        /** The thread waits in the system. */
        WAIT
    }

    /** After this time without work the processor is yielded between polls. */
    static final long POLITE_AFTER_NS = 20_000;

    /** The same if the peer has used the processor during the last yield. */
    static final long PEER_HERE_NS = 500;

    /** A yield that took longer than this was used by another thread. */
    private static final long SWITCHED_NS = 1_000;

    /** A peer that polls keeps the processor for less than this. */
    private static final long COMPUTED_NS = 300_000;

    /** How long polls follow at once where threads compute: a peer with a processor answers within that time. */
    static final long CROWDED_NS = 100_000;

    /** Spins in vain after which the next ones are left out, and the time for which they are. */
    static final int MOST_MISSES = 4;

    static final long RETRY_NS = 20_000_000;

    /** Work that comes later than this after a poll came while the thread had no processor: not because it spun. */
    static final long CAUGHT_NS = 50_000;

    private LongPredicate mayPoll = SpinBudget::allowed;
    private long politeAfterNs = POLITE_AFTER_NS;
    private int misses;
    private long missedAtNs;
    /** Whether this thread polls beside threads that compute, without a pause since its last wait, and the time of its last poll. */
    private boolean spins;

    private long spunAtNs;

    /** Replaces the rule that says whether no thread computes beside this one. */
    void rule(LongPredicate uncrowded) {
        mayPoll = uncrowded;
    }

    /** The pause after polls that have found nothing for this time. */
    Kind after(long emptyNs, long nowNs) {
        if (mayPoll.test(nowNs)) {
            spins = false;
            return emptyNs >= politeAfterNs ? Kind.YIELD : Kind.NONE;
        }
        boolean inVain = misses >= MOST_MISSES && nowNs - missedAtNs < RETRY_NS;
        if (inVain || emptyNs >= CROWDED_NS) {
            return Kind.WAIT;
        }
        spins = true;
        spunAtNs = nowNs;
        return Kind.NONE;
    }

    /** Whether the last poll was followed by the next one at once although threads compute. */
    boolean crowded() {
        return spins;
    }

    /** A poll has found work. */
    void worked() {
        if (spins) {
            caught(System.nanoTime());
        }
    }

    /** A poll has found work after spins beside threads that compute. */
    void caught(long nowNs) {
        spins = false;
        if (nowNs - spunAtNs < CAUGHT_NS) {
            misses = 0;
        } else {
            missed(nowNs);
        }
    }

    private void missed(long nowNs) {
        misses++;
        missedAtNs = nowNs;
    }

    /** The thread is about to wait in the system. */
    void waits(long nowNs) {
        if (spins) {
            missed(nowNs);
        }
        spins = false;
    }

    /** Gives the processor away. Returns the time after that. */
    long giveWay(long beforeNs) {
        long nowNs = SpinBudget.pause();
        yielded(nowNs - beforeNs);
        return nowNs;
    }

    /** A yield has lasted so long. */
    void yielded(long tookNs) {
        if (tookNs <= SWITCHED_NS) {
            politeAfterNs = Math.min(2 * politeAfterNs, POLITE_AFTER_NS);
        } else {
            politeAfterNs = tookNs < COMPUTED_NS ? PEER_HERE_NS : POLITE_AFTER_NS;
        }
    }
}
