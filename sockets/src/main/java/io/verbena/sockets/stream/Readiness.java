package io.verbena.sockets.stream;

import org.jspecify.annotations.Nullable;

/**
 * What a socket is ready for, and the threads that wait for it. The thread that has the lock of the socket publishes; any thread
 * reads and waits. A waiting thread writes its field first and looks at the bits then, the publishing thread the other way round
 * (both volatile), so that no wait misses its signal.
 */
final class Readiness {

    private final EngineDriver driver;
    private volatile int bits;
    private volatile @Nullable Thread reader;
    private volatile @Nullable Thread writer;
    private volatile Runnable action = () -> {};

    Readiness(EngineDriver driver) {
        this.driver = driver;
    }

    int bits() {
        return bits;
    }

    /** The action to run when something becomes ready that was not. */
    void action(Runnable newAction) {
        action = newAction;
    }

    /** States what is ready now. */
    void publish(int now) {
        int risen = now & ~bits;
        bits = now;
        if (risen == 0) {
            return;
        }
        if ((risen & StreamSocket.READABLE) != 0) {
            driver.wake(reader);
        }
        if ((risen & (StreamSocket.WRITABLE | StreamSocket.CONNECTED)) != 0) {
            driver.wake(writer);
        }
        action.run();
    }

    /** Waits until one of these bits is ready; false if the time expired or the thread was interrupted. */
    boolean await(int wanted, long timeoutNs) {
        boolean reads = (wanted & StreamSocket.READABLE) != 0;
        if (reads) {
            reader = Thread.currentThread();
        } else {
            writer = Thread.currentThread();
        }
        driver.enter();
        try {
            long startNs = System.nanoTime();
            while ((bits & wanted) == 0) {
                long leftNs = timeoutNs - (System.nanoTime() - startNs);
                if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                driver.pause(this, leftNs);
            }
            return true;
        } finally {
            driver.leave();
            if (reads) {
                reader = null;
            } else {
                writer = null;
            }
        }
    }
}
