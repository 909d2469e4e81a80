package io.verbena.sockets.ring.channel;

import java.util.concurrent.locks.LockSupport;

/**
 * A program that reads or writes in vain again and again. Where other threads want the processors, its attempts take time: else they would delay the peer for which
 * it waits. Each direction has an object of its own, of the thread that reads or writes.
 */
final class Polling {

    /** Consecutive attempts in vain that count as polling. */
    private static final int ATTEMPTS = 32;

    private static final long PAUSE_NS = 50_000;

    private int inVain;
    private long beforeNs;

    /** An attempt succeeded. */
    void succeeded() {
        inVain = 0;
    }

    /** An attempt was in vain. */
    void failed(long nowNs) {
        if (++inVain > ATTEMPTS
                && (Crowd.ofMachine().looked(beforeNs, nowNs)
                        || Crowd.ofMachine().waits(nowNs))) {
            LockSupport.parkNanos(this, PAUSE_NS);
            beforeNs = System.nanoTime();
        } else {
            beforeNs = nowNs;
        }
    }
}
