package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A remote key: its current binding, its owner, and the message that has reserved it. The object is kept when the key
 * is bound again or gets another value. The fields that a check reads are in {@link KeyLines}.
 */
public final class RemoteKey {

    /** No queue pair: the key is for all of the domain. */
    static final int ANY_QUEUE_PAIR = 0;

    private static final long UNCLAIMED = 0;
    private static final VarHandle CLAIM;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CLAIM = lookup.findVarHandle(RemoteKey.class, "claim", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The value that matches now; 0 if none. */
    private volatile int value;

    private final int domain;
    private volatile int queuePair;
    private final boolean oneShot;
    private volatile @Nullable Region region;

    /** The message that has reserved a one-shot key. */
    @SuppressWarnings("UnusedVariable") // through CLAIM
    private long claim;

    // For callers that hold the lock of the table.

    /** Whether a bind keeps the value. */
    private final boolean keepsValue;

    private final boolean forOneQueuePair;
    private final boolean zeroBased;

    /** The value assigned at allocation, which is reserved until deallocation; 0 for the key of a region. */
    private final int identity;

    private final PostedBinds posted = new PostedBinds();
    private long sequence;
    private long boundSequence;
    private int lastValue;
    private boolean firstValueTaken;
    private boolean deallocated;

    RemoteKey(
            int identity, int domain, boolean oneShot, boolean keepsValue, boolean forOneQueuePair, boolean zeroBased) {
        this.identity = identity;
        this.domain = domain;
        this.oneShot = oneShot;
        this.keepsValue = keepsValue;
        this.forOneQueuePair = forOneQueuePair;
        this.zeroBased = zeroBased;
        lastValue = identity;
    }

    /** The own key of a region. */
    static RemoteKey ofRegion(int domain) {
        return new RemoteKey(0, domain, false, false, false, false);
    }

    // Any thread.

    /**
     * The value that it got when it was allocated. Until it is deallocated no other key gets this value, so work on a
     * send queue names the key by it, whatever the key is bound to by then.
     */
    public int identity() {
        return identity;
    }

    /** The value that matches now; 0 if none. */
    int value() {
        return value;
    }

    int domain() {
        return domain;
    }

    /** Whether a queue pair may use it. */
    boolean admits(int number) {
        return queuePair == ANY_QUEUE_PAIR || queuePair == number;
    }

    int queuePair() {
        return queuePair;
    }

    boolean oneShot() {
        return oneShot;
    }

    @Nullable
    Region region() {
        return region;
    }

    /**
     * Whether the one-shot key is reserved for this message, from now on or already.
     *
     * @param message unique to the message among all queue pairs of the RNIC; 0 never matches
     */
    boolean claimFor(long message) {
        if (message == UNCLAIMED) {
            return false;
        }
        long seen = (long) CLAIM.getAcquire(this);
        return seen == message
                || seen == UNCLAIMED && (long) CLAIM.compareAndExchange(this, UNCLAIMED, message) == UNCLAIMED;
    }

    // Under the table's lock.

    boolean claimedBy(long message) {
        return (long) CLAIM.getAcquire(this) == message;
    }

    boolean keepsValue() {
        return keepsValue;
    }

    boolean forOneQueuePair() {
        return forOneQueuePair;
    }

    /** Whether peers name the first byte of its range 0. */
    public boolean zeroBased() {
        return zeroBased;
    }

    /** Whether the key is deallocated. For the thread that changes keys. */
    public boolean deallocated() {
        return deallocated;
    }

    void markDeallocated() {
        deallocated = true;
    }

    /** The window is unbound: the line of its key is closed already. */
    void unbound() {
        value = 0;
    }

    /** The window is about to be bound. */
    void target(Region newRegion, int newQueuePair) {
        region = newRegion;
        queuePair = newQueuePair;
        CLAIM.setOpaque(this, UNCLAIMED);
    }

    /** The window is bound: the line of its key is open. */
    void bound(int newValue) {
        value = newValue;
    }

    /** What is posted and not done. */
    PostedBinds posted() {
        return posted;
    }

    /** The number of the next bind or unbind, posted or not. */
    long nextSequence() {
        return ++sequence;
    }

    /** The number of the bind that it is bound by. */
    long boundSequence() {
        return boundSequence;
    }

    void boundSequence(long number) {
        boundSequence = number;
    }

    /** The value assigned last, valid or retired. */
    int lastValue() {
        return lastValue;
    }

    /** Records the value assigned by a bind. */
    void lastValue(int given) {
        lastValue = given;
    }

    /**
     * Returns whether the first bind, which uses the value of the allocation, is still to come, and clears that state.
     */
    boolean takeFirstValue() {
        boolean first = !firstValueTaken;
        firstValueTaken = true;
        return first;
    }
}
