package io.verbena.sockets.nio.select;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock of a channel or a key that knows its place in the order of locks, see the description of the package. With assertions
 * enabled a thread that takes one out of order fails at once, whether or not another thread is in its way; without them the lock is
 * a {@link ReentrantLock}.
 */
public final class RankedLock extends ReentrantLock {

    private static final long serialVersionUID = 1;

    /** The order, from the lock that is taken first. Two of them are not locks of ours. */
    public enum Rank {
        /** The locks of the JDK for registering with a selector and for the blocking mode of a channel of the program. */
        REGISTERING,
        /** Accepts from a listening channel. */
        ACCEPTING,
        /** Reads from a channel. */
        READING,
        /** Writes to a channel. */
        WRITING,
        /** The lock of the JDK for closing a channel of the program. */
        CLOSING,
        /** The registration of a key with the selector of the JDK. */
        KEY,
        /** The carrier of a channel, and what is shut. */
        STATE
    }

    /** The locks that the thread holds, the last one first; only with assertions. */
    private static final ThreadLocal<Deque<RankedLock>> HELD = ThreadLocal.withInitial(ArrayDeque::new);

    private final Rank rank;

    public RankedLock(Rank rank) {
        this.rank = rank;
    }

    /** Whether the calling thread may take a lock of this rank: the locks that it holds come before. For assertions. */
    public static boolean allows(Rank next) {
        for (RankedLock held : HELD.get()) {
            if (held.rank.compareTo(next) >= 0) {
                throw new AssertionError("A lock of rank " + next + " is taken under one of rank " + held.rank + ".");
            }
        }
        return true;
    }

    @Override
    public void lock() {
        assert isHeldByCurrentThread() || allows(rank);
        super.lock();
        assert taken();
    }

    @Override
    public boolean tryLock() {
        assert isHeldByCurrentThread() || allows(rank);
        boolean locked = super.tryLock();
        assert !locked || taken();
        return locked;
    }

    /** Not used: it would not be checked. */
    @Override
    public boolean tryLock(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("A ranked lock is not taken within a time limit.");
    }

    /** Not used: it would not be checked. */
    @Override
    public void lockInterruptibly() {
        throw new UnsupportedOperationException("A ranked lock is not taken interruptibly.");
    }

    @Override
    public void unlock() {
        super.unlock();
        assert released();
    }

    private boolean taken() {
        HELD.get().push(this);
        return true;
    }

    private boolean released() {
        Deque<RankedLock> held = HELD.get();
        held.removeFirstOccurrence(this);
        if (held.isEmpty()) {
            HELD.remove();
        }
        return true;
    }
}
