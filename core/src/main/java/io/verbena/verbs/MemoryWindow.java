package io.verbena.verbs;

/** A key that protects one byte range at a time; bound and unbound by work on a send queue (AllocateRKey). */
public interface MemoryWindow extends AutoCloseable {

    /**
     * The key: that of a posted bind that is not done yet, so that a Send posted after the bind can tell it; otherwise the key that
     * is bound, or, when none is, the last one.
     */
    int rkey();

    /**
     * What it is bound to, as a value that can be sent to a peer; length 0 when unbound. A posted bind or unbind shows here as soon as
     * it is posted. When it fails or is flushed, what the key is bound to shows again.
     */
    RemoteRegion remote();

    /** Whether it is bound now: false too when the one use of a one-shot key is over, or its region is closed. */
    boolean bound();

    /** How its key behaves. */
    WindowOptions options();

    /**
     * BindRKey, at once and in the calling thread: binds the key to a range, for all queue pairs of the protection
     * domain. When this returns, nothing uses what it was bound to before.
     *
     * @return what to tell a peer
     * @throws IllegalArgumentException invalid parameter: a range or region that this process may not reach, or rights that
     *     it does not have
     * @throws IllegalStateException when the key is for one queue pair: bind it by work on its send queue, or with {@link
     *     #bindFor}
     */
    default RemoteRegion bind(MemoryRegion region, long offset, long length, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC binds keys by work on a send queue only.");
    }

    /**
     * The same for the peer of one queue pair, with {@link WindowOptions.Scope#QUEUE_PAIR}.
     *
     * @throws IllegalStateException when the queue pair has ended
     */
    default RemoteRegion bindFor(
            QueuePair queuePair, MemoryRegion region, long offset, long length, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC binds keys by work on a send queue only.");
    }

    /**
     * UnbindRKey, at once: when this returns, nothing uses what it was bound to, also when binds that were posted later failed. Binds
     * that are posted and not done are done afterwards.
     */
    default void unbind() {
        throw new UnsupportedOperationException("This RNIC unbinds keys by work on a send queue only.");
    }

    /** DeallocateRKey: when this returns the key never matches again. */
    @Override
    void close();
}
