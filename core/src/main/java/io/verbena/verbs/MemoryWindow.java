package io.verbena.verbs;

/**
 * A key that grants access to one byte range at a time (AllocateRKey, ibv_mw). It is bound and unbound by work on a
 * send queue, or at once by {@link #bind} and {@link #unbind}.
 */
public interface MemoryWindow extends AutoCloseable {

    /**
     * The key: that of a posted bind that is not complete yet, so that a Send posted after the bind can carry it;
     * otherwise the key that is bound, or was bound last.
     */
    int rkey();

    /**
     * The bound range, as a value that can be sent to a peer; length 0 if unbound. A posted bind or unbind takes effect
     * here when it is posted. If it fails or is flushed, the previous range is returned again.
     */
    RemoteRegion remote();

    /**
     * Whether the key is bound now. It is not bound any more after the single use of a one-shot key, or after its
     * region was closed.
     */
    boolean bound();

    /** The options given at allocation. */
    WindowOptions options();

    /**
     * BindRKey: binds the key at once, in the calling thread, to a range, for all queue pairs of the protection domain.
     * After the return nothing uses the range that was bound before.
     *
     * @return the bound range, to be sent to a peer
     * @throws IllegalArgumentException if this process may not access the range or the region, or does not have the
     *     rights
     * @throws IllegalStateException if the key is for one queue pair: bind it by work on the send queue, or with
     *     {@link #bindFor}
     * @throws UnsupportedOperationException if the RNIC binds keys by work on a send queue only
     */
    default RemoteRegion bind(MemoryRegion region, long offset, long length, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC binds keys by work on a send queue only; post a bind.");
    }

    /**
     * BindRKey for the peer of one queue pair, with {@link WindowOptions.Scope#QUEUE_PAIR}; otherwise as {@link #bind}.
     *
     * @throws IllegalStateException if the queue pair has ended
     */
    default RemoteRegion bindFor(
            QueuePair queuePair, MemoryRegion region, long offset, long length, AccessRight... rights) {
        throw new UnsupportedOperationException("This RNIC binds keys by work on a send queue only; post a bind.");
    }

    /**
     * UnbindRKey: unbinds the key at once. After the return nothing uses the range that was bound, even if binds posted
     * later failed. Posted binds that are not complete yet take effect afterwards.
     *
     * @throws UnsupportedOperationException if the RNIC unbinds keys by work on a send queue only
     */
    default void unbind() {
        throw new UnsupportedOperationException("This RNIC unbinds keys by work on a send queue only; post an unbind.");
    }

    /** DeallocateRKey: after the return the key never matches again. */
    @Override
    void close();
}
