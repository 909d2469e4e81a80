package io.verbena.sockets.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a socket is ready for, and the threads that wait for it: one that reads, and one that writes or connects, each
 * in a {@link WaitSet} whose condition is a bit. The thread that has the lock of the socket publishes; any thread reads
 * and waits.
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

    private volatile int bits;

    /** What has become ready and was not notified yet. */
    private volatile int due;

    /** What the thread waits for that reads, and the one that writes or connects: of this thread. */
    private int readerWants;

    private int writerWants;
    private final WaitSet<Readiness> reader;
    private final WaitSet<Readiness> writer;
    private volatile Runnable action = () -> {};

    Readiness(EngineDriver driver) {
        reader = new WaitSet<>(driver, () -> endsWait(readerWants));
        writer = new WaitSet<>(driver, () -> endsWait(writerWants));
    }

    private boolean endsWait(int wanted) {
        return (bits & wanted) != 0 || Thread.currentThread().isInterrupted();
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
            reader.wake();
        }
        if ((risen & (StreamSocket.WRITABLE | StreamSocket.CONNECTED)) != 0) {
            writer.wake();
        }
        action.run();
    }

    /** Waits until one of these bits is ready; false if the time expired or the thread was interrupted. */
    boolean await(int wanted, long timeoutNs) {
        if ((wanted & StreamSocket.READABLE) != 0) {
            readerWants = wanted;
            reader.await(timeoutNs);
        } else {
            writerWants = wanted;
            writer.await(timeoutNs);
        }
        return (bits & wanted) != 0;
    }
}
