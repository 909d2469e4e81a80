package io.verbena.tools.base;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C (or SIGTERM) as a wish: the command finishes what it is at, prints its summary and ends with its own exit code.
 * Without {@link #install} nothing raises it but {@link #raise}.
 */
public final class StopSignal {

    private static final long GRACE_SECONDS = 5;

    /** Thrown out of a wait when the user wants to stop. */
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

    /** Asks to stop. */
    public void raise() {
        raised = true;
    }

    /** Whether the user wants to stop. */
    public boolean raised() {
        return raised;
    }

    /**
     * Ends a wait when the user wants to stop.
     *
     * @throws Stopped if so
     */
    public void check() {
        if (raised) {
            throw new Stopped();
        }
    }

    /** The command has ended and everything is printed: the process ends with this exit code. */
    public void finished(int code) {
        exitCode = code;
        done.countDown();
    }

    /** Runs when the process ends. After Ctrl-C the exit code would be the signal's without the halt. */
    private void stopAndWait() {
        if (done.getCount() == 0) {
            return;
        }
        raised = true;
        try {
            if (!done.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("verbena: ended before it could finish.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(exitCode);
    }
}
