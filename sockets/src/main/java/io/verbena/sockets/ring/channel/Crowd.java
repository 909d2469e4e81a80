package io.verbena.sockets.ring.channel;

import io.verbena.live.WantedProcessors;

/**
 * Whether other threads of the machine want the processors. A thread that spins then delays its own peer, and is preempted when it has something to do. It shows in
 * the time between two looks of a spinning thread: the one that was interrupted for long has lost its processor. After that, no thread of this JVM spins for a
 * while: a multiple of the time that was lost, so that spinning costs at most a small part of all time, and twice as long as before if the first spin after it is
 * interrupted, too. So the decision costs no system call.
 *
 * <p>A thread that spins briefly seldom loses its processor, but keeps the peer that it has just woken from running there, where a thread that sleeps would make
 * place. So it also sleeps at once if there are {@link WantedProcessors more} such threads than processors.
 */
public final class Crowd {

    /** A look takes less than a microsecond, and an interrupt of the system a few. */
    static final long LOST_NS = 60_000;

    static final long LEAST_NS = 5_000_000;
    static final long MOST_NS = 2_560_000_000L;

    /** The while as a multiple of the time that was lost. */
    static final long TIMES_LOST = 16;

    /**
     * How long a thread spins without asking whether another one wants its processor. A call of the system that asks
     * takes about as long as an echo.
     */
    static final long ALONE_NS = 5_000;

    private static final Crowd OF_MACHINE = new Crowd(WantedProcessors.ofMachine());

    private final WantedProcessors wanted;
    private volatile long lostNs = System.nanoTime() - MOST_NS;
    private volatile long pauseNs = LEAST_NS;

    Crowd(WantedProcessors wanted) {
        this.wanted = wanted;
    }

    /** That of this machine. */
    public static Crowd ofMachine() {
        return OF_MACHINE;
    }

    /** Whether a thread that has something to wait for had better sleep at once. */
    public boolean sleeps(long nowNs) {
        return waits(nowNs) || wanted.scarce(nowNs);
    }

    /**
     * Between two looks of a thread that has spun for so long. From some time on the message is late, and perhaps what
     * would send it is a thread that waits for this processor, such as one of this program to which the last message
     * was handed: the thread gives its processor away, if another one wants it.
     *
     * @return the time from which the next look counts as late
     */
    public static long pause(long spunNs, long nowNs) {
        if (spunNs < ALONE_NS) {
            Thread.onSpinWait();
            return nowNs;
        }
        Thread.yield();
        return System.nanoTime();
    }

    /** Whether a spinning thread has lost its processor recently. */
    public boolean waits(long nowNs) {
        return nowNs - lostNs < pauseNs;
    }

    /** A spinning thread looks again, after so long. Returns whether it has lost its processor meanwhile. */
    public boolean looked(long beforeNs, long nowNs) {
        if (nowNs - beforeNs < LOST_NS) {
            return false;
        }
        boolean again = beforeNs - lostNs < 2 * pauseNs; // the time that was lost now does not count
        pauseNs =
                Math.clamp(TIMES_LOST * (nowNs - beforeNs), again ? Math.min(MOST_NS, 2 * pauseNs) : LEAST_NS, MOST_NS);
        lostNs = nowNs;
        return true;
    }
}
