package io.verbena.sockets.net;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The lock of the threads that read or accept with a time limit. */
final class Turn {

    private Turn() {}

    /**
     * Takes the lock within a time limit; 0 is none. An interrupt does not end the wait.
     *
     * @return the time that is left, 0 if there is no limit
     * @throws SocketTimeoutException if the time is over
     */
    static int take(ReentrantLock lock, int timeoutMs, String timedOut) throws SocketTimeoutException {
        if (timeoutMs == 0) {
            lock.lock();
            return 0;
        }
        long startNs = System.nanoTime();
        long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        boolean interrupted = false;
        boolean taken = false;
        while (!taken && leftNs > 0) {
            try {
                taken = lock.tryLock(leftNs, TimeUnit.NANOSECONDS);
            } catch (InterruptedException _) {
                interrupted = true;
            }
            leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs) - (System.nanoTime() - startNs);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!taken) {
            throw new SocketTimeoutException(timedOut);
        }
        return Math.max(1, (int) TimeUnit.NANOSECONDS.toMillis(leftNs));
    }
}
