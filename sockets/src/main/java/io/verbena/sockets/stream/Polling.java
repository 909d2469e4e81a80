package io.verbena.sockets.stream;

/**
 * Whether a thread polls: it reads, writes or selects in vain again and again. Then it drives the engine, which needs
 * no processor beside it. The thread that reads, the one that writes and the one that selects have an object each.
 */
final class Polling {

    /** Number of consecutive attempts in vain that count as polling. */
    private static final int ATTEMPTS = 32;

    private int inVain;

    /** An attempt succeeded. Once a program has polled, its next attempt in vain counts as polling. */
    void succeeded() {
        inVain = inVain < ATTEMPTS ? 0 : ATTEMPTS;
    }

    /** The program waits: it does not poll. */
    void waits() {
        inVain = 0;
    }

    /** An attempt was in vain. Returns whether the thread polls. */
    boolean failed() {
        if (inVain < ATTEMPTS) {
            inVain++;
            return false;
        }
        return true;
    }
}
