package io.verbena.verbs;

/** Kinds of work (V2, V3): all but {@link #RECEIVE} go to a send queue. */
public enum WorkOpcode {
    /** A message into the peer's next receive buffer. */
    SEND,
    /** A Send that also invalidates a key of the peer. */
    SEND_WITH_INVALIDATE,
    /** A Send whose completion at the peer carries immediate data. On iWARP it has no payload (RFC 7306 section 6). */
    SEND_WITH_IMMEDIATE,
    /** Into the peer's memory. */
    WRITE,
    /** A Write that also takes a receive at the peer and completes it with immediate data. */
    WRITE_WITH_IMMEDIATE,
    /** From the peer's memory. */
    READ,
    /** A Read after which a local key is invalidated. */
    READ_WITH_INVALIDATE,
    /** Atomic: writes a 64-bit word if it has an expected value; brings back what was there. */
    COMPARE_AND_SWAP,
    /** Atomic: adds to a 64-bit word; brings back what was there. */
    FETCH_AND_ADD,
    /** Binds a window's key to a range of a region. */
    BIND,
    /** Unbinds a window's key. */
    UNBIND,
    /** Makes a local key invalid. */
    LOCAL_INVALIDATE,
    /** Holds back the work behind it for a time. */
    DELAY,
    /** A buffer for an incoming message. */
    RECEIVE
}
