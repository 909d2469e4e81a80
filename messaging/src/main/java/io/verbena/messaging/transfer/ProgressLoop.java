package io.verbena.messaging.transfer;

/** Completes the operations of one rank; what a request needs to be tested and awaited. */
public interface ProgressLoop {

    /** Admits one thread at a time. */
    Guard guard();

    /** Does the work that is possible now; returns a measure of it. */
    int progress();

    /** Makes progress until something is done. */
    void await(Awaited awaited);

    /** Bounds the waits. */
    WaitBounds waiter();

    /** Fails a receive that no message can arrive for any more. */
    void failIfHopeless(Operation operation);
}
