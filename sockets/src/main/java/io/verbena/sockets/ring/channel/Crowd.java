package io.verbena.sockets.ring.channel;

/**
 * Whether other threads of the machine want the processors. A thread that spins then delays its own peer, and is preempted when it has something to do. It shows in
 * the time between two looks of a spinning thread: the one that was interrupted for long has lost its processor. After that, no thread of this JVM spins for a
 * while, which doubles as long as the first spin after it is interrupted, too. So the decision costs no system call.
 */
public final class Crowd {

    /** A look takes less than a microsecond, and an interrupt of the system a few. */
    static final long LOST_NS = 60_000;

    static final long LEAST_NS = 5_000_000;
    static final long MOST_NS = 320_000_000;

    private static final Crowd OF_MACHINE = new Crowd();

    private volatile long lostNs = System.nanoTime() - MOST_NS;
    private volatile long pauseNs = LEAST_NS;

    Crowd() {}

    /** That of this machine. */
    public static Crowd ofMachine() {
        return OF_MACHINE;
    }

    /** Whether a thread had better not spin now. */
    public boolean waits(long nowNs) {
        return nowNs - lostNs < pauseNs;
    }

    /** A spinning thread looks again, after so long. Returns whether it has lost its processor meanwhile. */
    public boolean looked(long beforeNs, long nowNs) {
        if (nowNs - beforeNs < LOST_NS) {
            return false;
        }
        boolean again = nowNs - lostNs < 2 * pauseNs;
        pauseNs = again ? Math.min(MOST_NS, 2 * pauseNs) : LEAST_NS;
        lostNs = nowNs;
        return true;
    }
}
