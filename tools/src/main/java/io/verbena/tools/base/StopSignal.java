package io.verbena.tools.base;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM) as a request: the command finishes its current step, prints its summary and ends with its own exit
 * code. Without {@link #install} only {@link #raise} raises it.
 */
public final class StopSignal {

    private static final long GRACE_SECONDS = 5;

    /** Ends a wait after the user requested the end. */
    public static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Stopped() {
            super("Stopped", null, false, false);
        }
    }

    private final CountDownLatch done = new CountDownLatch(1);
    private volatile boolean raised;
    private volatile int exitCode = 1;

    /** A signal that Ctrl-C raises, from now until the end of the process. */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndWait, "verbena-stop"));
        return signal;
    }

    /** Requests the end. */
    public void raise() {
        raised = true;
    }

    /** Whether the user requested the end. */
    public boolean raised() {
        return raised;
    }

    /**
     * Ends a wait if the user requested the end.
     *
     * @throws Stopped if so
     */
    public void check() {
        if (raised) {
            throw new Stopped();
        }
    }

    /** Notes that the command has ended and printed everything; the process exits with this code. */
    public void finished(int code) {
        exitCode = code;
        done.countDown();
    }

    /** Runs when the process ends. Without the halt, the exit code after Ctrl-C would be that of the signal. */
    private void stopAndWait() {
        if (done.getCount() == 0) {
            return;
        }
        raised = true;
        try {
            if (!done.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("verbena: stopped before the command could finish.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(exitCode);
    }
}
