package io.verbena.messaging.transfer;

/** What a thread of a rank waits for. */
public interface Awaited {

    /** Returns whether it is done; the caller has entered the guard. */
    boolean isDone();

    /** Called now and then during a wait, which began at {@code startNs}: fails what cannot be done any more. */
    void checkBounds(long startNs);
}
