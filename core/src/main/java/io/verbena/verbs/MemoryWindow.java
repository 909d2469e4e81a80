package io.verbena.verbs;

/** A key that protects one byte range at a time; bound and unbound by work on a send queue (AllocateRKey). */
public interface MemoryWindow extends AutoCloseable {

    /** The key; a bind that makes a fresh one shows it here as soon as it is posted, so that a Send behind it can tell it. */
    int rkey();

    /** What it is bound to, as a value that can be sent to a peer; length 0 when unbound. */
    RemoteRegion remote();

    /** Whether it is bound. */
    boolean bound();

    /** DeallocateRKey: when this returns the key never matches again. */
    @Override
    void close();
}
