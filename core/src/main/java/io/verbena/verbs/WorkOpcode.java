package io.verbena.verbs;

/** Operation of a work request (ibv_wr_opcode). All except {@link #RECEIVE} are posted to a send queue. */
public enum WorkOpcode {
    /** Sends a message to the next receive of the peer. */
    SEND,
    /** Sends a message and invalidates a key of the peer. */
    SEND_WITH_INVALIDATE,
    /**
     * Sends a message whose completion at the peer carries immediate data. On iWARP it has no payload (RFC 7306 section
     * 6).
     */
    SEND_WITH_IMMEDIATE,
    /** Writes to the memory of the peer. */
    WRITE,
    /** Writes to the memory of the peer, and completes a receive of the peer with immediate data. */
    WRITE_WITH_IMMEDIATE,
    /** Reads from the memory of the peer. */
    READ,
    /** Reads from the memory of the peer, and then invalidates a local key. */
    READ_WITH_INVALIDATE,
    /** Atomically replaces a remote 64-bit word if it has the expected value; returns the original value. */
    COMPARE_AND_SWAP,
    /** Atomically adds to a remote 64-bit word; returns the original value. */
    FETCH_AND_ADD,
    /** Binds the key of a memory window to a range of a region. */
    BIND,
    /** Unbinds the key of a memory window. */
    UNBIND,
    /** Invalidates a local key. */
    LOCAL_INVALIDATE,
    /** Delays the following work requests for a time. */
    DELAY,
    /** Provides a buffer for an incoming message. */
    RECEIVE
}
