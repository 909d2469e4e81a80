package io.verbena.port;

import io.verbena.base.GrantedMemory;
import org.jspecify.annotations.Nullable;

/**
 * Memory of both sides of a {@link ByteStream} that the other side may access directly, without the engine of its owner, if both
 * sides were opened for that.
 *
 * <p>An access keeps its place in the order of the stream: it is made only when the peer has processed everything that was
 * written before ({@link #awaitSettled}), and everything that is written after it is seen after it. A caller that needs no order with what
 * was written before does not wait for that.
 */
public interface PeerMemory {

    /** Begins to answer requests of the peer and to make own ones. Returns whether both sides were opened for that. */
    boolean begin(GrantSource source);

    // The side that accesses.

    /**
     * Returns memory of the peer that a key opens; null if there is no valid grant. Then the peer is asked for one, if possible, so
     * that a later call returns it.
     */
    @Nullable
    GrantedMemory obtain(int key);

    /** The same without asking the peer: uses the stream for nothing, so that it may be called outside of a turn. */
    @Nullable
    GrantedMemory known(int key);

    /** Whether no grant can be expected for a key: the peer has refused it, or the sides were not opened for that. */
    boolean refused(int key);

    /** A number that grows with everything that is written to the stream. */
    long written();

    /**
     * Waits until the peer has processed everything that was written, without blocking: returns true if it has. If not, {@link
     * StreamEvents#onReturned} reports when.
     */
    boolean awaitSettled();

    /** Whether the peer has processed everything that was written, and has not ended. Changes nothing, so that it may be called outside of a turn. */
    boolean settled();

    /** Wakes the peer if it sleeps: its memory was written, and its program may wait for that. Any time. */
    void changed();

    // The side that permits.

    /** Reports to the peer that everything that was read from the stream so far has been processed. */
    void reportProcessed();

    /** Revokes all that the peer was granted so far, as the end of the stream does. */
    void revoke();

    /**
     * Whether the peer accesses nothing since {@link #revoke} or since the stream was closed. It is to be called again if not; the
     * wait is bounded.
     */
    boolean revoked();
}
