package io.verbena.sockets.stream;

/**
 * Whether a program polls one direction of a socket: it reads or writes in vain again and again. Then it drives the engine, which needs no
 * processor beside it. The thread that reads, or the one that writes, uses an object of its own.
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

    /** An attempt was in vain. */
    void failed(EngineDriver driver) {
        if (inVain < ATTEMPTS) {
            inVain++;
        } else {
            driver.poll();
        }
    }
}
