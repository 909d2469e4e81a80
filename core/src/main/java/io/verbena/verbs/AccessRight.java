package io.verbena.verbs;

/** What may be done with a memory region. The local program may always read and write its own memory. */
public enum AccessRight {
    /** The RNIC may write it for local work: receives, Read and atomic results. */
    LOCAL_WRITE,
    /** A peer that holds the key may read it. */
    REMOTE_READ,
    /** A peer that holds the key may write it. */
    REMOTE_WRITE,
    /** A peer that holds the key may do atomic operations on it. */
    REMOTE_ATOMIC,
    /** Keys may be bound to parts of it. */
    BIND
}
