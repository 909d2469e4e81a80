package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a remote key opens: one byte range of one region, with rights, for a protection domain or one queue pair of it. The
 * object stays when the key is bound again or gets another value.
 *
 * <p><b>Reading without a lock.</b> The stamp holds the key's value and a count of binds. A writer first stores a stamp
 * whose value is 0, which matches nothing, then the fields, then the new stamp. A reader loads the stamp, the fields, and
 * the stamp again: when both loads agree and match the key that was asked for, the fields belong together. So what is
 * being bound anew looks unbound, and never half.
 *
 * <p>Whoever checked before the first store may still be copying; that is what {@link Revocation} waits for.
 */
public final class RemoteKey {

    /** No queue pair: the key is for all of the domain. */
    static final int ANY_QUEUE_PAIR = 0;

    private static final long UNCLAIMED = 0;
    private static final VarHandle STAMP;
    private static final VarHandle CLAIM;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STAMP = lookup.findVarHandle(RemoteKey.class, "stamp", long.class);
            CLAIM = lookup.findVarHandle(RemoteKey.class, "claim", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Count of binds, value: 32 bits each. */
    @SuppressWarnings("UnusedVariable") // through STAMP
    private long stamp;

    // What a check reads, valid between two equal stamps.
    private long baseAddress;
    private long length;
    private long regionOffset;
    private final int domain;
    private int queuePair;
    private int rights;
    private final boolean oneShot;
    private @Nullable Region region;

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

    /** The stamp as it is. */
    long stamp() {
        return (long) STAMP.getAcquire(this);
    }

    /** The value of a stamp; 0 matches nothing. */
    static int value(long stamp) {
        return (int) stamp;
    }

    /** The value that matches now; 0 if none. */
    int value() {
        return (int) stamp();
    }

    /** Whether what was read since {@code seen} was loaded belongs together. */
    boolean unchangedSince(long seen) {
        VarHandle.acquireFence();
        return (long) STAMP.getOpaque(this) == seen;
    }

    long baseAddress() {
        return baseAddress;
    }

    long length() {
        return length;
    }

    /** Where its first byte lies in the region. */
    long regionOffset() {
        return regionOffset;
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

    int rights() {
        return rights;
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

    /** From here on it matches nothing; a volatile store, see {@link EngineEpoch}. */
    void unbind() {
        STAMP.setVolatile(this, stamp() & 0xffff_ffff_0000_0000L);
    }

    /** What it opens from {@link #publish} on. */
    void fields(Region newRegion, long base, long offset, long bytes, int newRights, int newQueuePair) {
        assert value() == 0;
        VarHandle.storeStoreFence();
        region = newRegion;
        baseAddress = base;
        regionOffset = offset;
        length = bytes;
        rights = newRights;
        queuePair = newQueuePair;
        CLAIM.setOpaque(this, UNCLAIMED);
    }

    /** From here on it matches a value. */
    void publish(int value) {
        long count = (stamp() >>> Integer.SIZE) + 1;
        STAMP.setRelease(this, count << Integer.SIZE | value & 0xffff_ffffL);
    }

    void promise(int value) {
        if (promisedCount == promised.length) {
            int[] grown = new int[promised.length * 2];
            for (int i = 0; i < promisedCount; i++) {
                grown[i] = promised[promisedFirst + i & promised.length - 1];
            }
            promised = grown;
            promisedFirst = 0;
        }
        promised[promisedFirst + promisedCount++ & promised.length - 1] = value;
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

    boolean hasPromised(int value) {
        for (int i = 0; i < promisedCount; i++) {
            if (promised[promisedFirst + i & promised.length - 1] == value) {
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
        int value = promised[promisedFirst];
        promisedFirst = promisedFirst + 1 & promised.length - 1;
        promisedCount--;
        return value;
    }
}
