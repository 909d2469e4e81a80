package io.verbena.verbs;

/** Access rights of a memory region or window. The local program may always read its memory. */
public enum AccessRight {
    /** The local RNIC may write to the region: receives, results of Reads and of atomics. */
    LOCAL_WRITE,
    /** A peer that holds the key may read the region. */
    REMOTE_READ,
    /** A peer that holds the key may write to the region. */
    REMOTE_WRITE,
    /** A peer that holds the key may perform atomic operations on the region. */
    REMOTE_ATOMIC,
    /** Keys of memory windows may be bound to parts of the region. */
    BIND
}
