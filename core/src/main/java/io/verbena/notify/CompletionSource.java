package io.verbena.notify;

import io.verbena.verbs.CompletionQueue;

/** What notification needs to know of a completion queue. Any thread may call these methods. */
public interface CompletionSource extends CompletionQueue {

    /** A number unique within its RNIC, for figures. */
    int number();

    /** What it owes to its consumer. */
    CqNotifier notifier();

    /** Whether an entry may be unpolled. */
    boolean holdsAny();

    /** Whether an entry with one of these causes (bits of {@link io.verbena.queue.CompletionRing}) may be unpolled. */
    boolean holds(int causes);

    /** Entries polled so far. */
    long polled();

    /** Whether it is closed. Its handler does not run from then on. */
    boolean closed();

    /** A run of its handler is over. */
    void handlerEnded();
}
