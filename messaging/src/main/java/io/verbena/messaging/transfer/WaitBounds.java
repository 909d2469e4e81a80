package io.verbena.messaging.transfer;

/** Ends waits that cannot succeed or take too long. */
public interface WaitBounds {

    /** Called now and then during a wait for a send or a receive, which began at {@code startNs}. */
    void checkBounds(Operation operation, long startNs);

    /** Returns whether a wait that began then has taken as long as it may. */
    boolean timedOut(long startNs);

    /** Returns whether a wait that began then is so long that another rank may have died unnoticed. */
    boolean longSince(long startNs);

    /** Fails an operation that is not done; if its peer uses its memory the connection ends. */
    void withdraw(Operation operation, String sentence);
}
