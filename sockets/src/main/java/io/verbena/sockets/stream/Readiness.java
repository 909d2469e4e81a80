package io.verbena.sockets.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a socket is ready for, and the threads that wait for it. The thread that has the lock of the socket publishes; any thread
 * reads and waits. A waiting thread writes its field first and looks at the bits then, the publishing thread the other way round
 * (both volatile), so that no wait misses its signal.
 *
 * <p>The publishing thread notifies after it has released the lock: a thread that is woken needs the lock at once, and would have to wait for it.
 */
final class Readiness {

    private static final VarHandle DUE;

    static {
        try {
            DUE = MethodHandles.lookup().findVarHandle(Readiness.class, "due", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final EngineDriver driver;
    private volatile int bits;

    /** What has become ready and was not notified yet. */
    private volatile int due;

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

    /** States what is ready now. {@link #deliver} follows. */
    void publish(int now) {
        int risen = now & ~bits;
        bits = now;
        if (risen != 0) {
            DUE.getAndBitwiseOr(this, risen);
        }
    }

    /** Notifies of what was published. Any thread that has published, without the lock. */
    void deliver() {
        int risen = due == 0 ? 0 : (int) DUE.getAndSet(this, 0);
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
