package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A remote key: what it is bound to, whose it is, and who has it for himself. The object stays when the key is bound again or gets
 * another value; what a check reads of it is in {@link KeyLines}.
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

    /** Message that has a one-shot key for itself. */
    @SuppressWarnings("UnusedVariable") // through CLAIM
    private long claim;

    // For who holds the table's lock.

    /** Whether a bind keeps the value. */
    private final boolean keepsValue;

    private final boolean forOneQueuePair;
    private final boolean zeroBased;

    /** Values that were promised to binds that are posted and not done, oldest first; a ring. */
    private int[] promised = new int[2];

    private int promisedFirst;
    private int promisedCount;
    private boolean firstValueTaken;
    private boolean deallocated;

    RemoteKey(int domain, boolean oneShot, boolean keepsValue, boolean forOneQueuePair, boolean zeroBased) {
        this.domain = domain;
        this.oneShot = oneShot;
        this.keepsValue = keepsValue;
        this.forOneQueuePair = forOneQueuePair;
        this.zeroBased = zeroBased;
    }

    // Any thread.

    /** The value that was promised when it was allocated; before any bind. */
    public int firstValue() {
        return promised[promisedFirst];
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
     * Whether this message has the one-shot key for itself, from now on or already.
     *
     * @param message unique to the message among all queue pairs of the RNIC; 0 never has it
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

    boolean zeroBased() {
        return zeroBased;
    }

    boolean deallocated() {
        return deallocated;
    }

    void markDeallocated() {
        deallocated = true;
    }

    /** It is unbound: its line is closed already. */
    void unbound() {
        value = 0;
    }

    /** It is about to be bound. */
    void target(Region newRegion, int newQueuePair) {
        region = newRegion;
        queuePair = newQueuePair;
        CLAIM.setOpaque(this, UNCLAIMED);
    }

    /** It is bound: its line is open. */
    void bound(int newValue) {
        value = newValue;
    }

    void promise(int promise) {
        if (promisedCount == promised.length) {
            int[] grown = new int[promised.length * 2];
            for (int i = 0; i < promisedCount; i++) {
                grown[i] = promised[promisedFirst + i & promised.length - 1];
            }
            promised = grown;
            promisedFirst = 0;
        }
        promised[promisedFirst + promisedCount++ & promised.length - 1] = promise;
    }

    /** The value that was promised when the key was allocated, for its first bind. */
    int takeFirstValue() {
        firstValueTaken = true;
        return firstValue();
    }

    boolean firstValueTaken() {
        return firstValueTaken;
    }

    /** The value that was promised last, which a key that keeps its value has for ever. */
    int lastPromised() {
        return promised[promisedFirst + promisedCount - 1 & promised.length - 1];
    }

    boolean hasPromised(int wanted) {
        for (int i = 0; i < promisedCount; i++) {
            if (promised[promisedFirst + i & promised.length - 1] == wanted) {
                return true;
            }
        }
        return false;
    }

    /** The oldest promised value, which is promised no more; 0 if there is none. */
    int takePromised() {
        if (promisedCount == 0) {
            return 0;
        }
        int oldest = promised[promisedFirst];
        promisedFirst = promisedFirst + 1 & promised.length - 1;
        promisedCount--;
        return oldest;
    }
}
