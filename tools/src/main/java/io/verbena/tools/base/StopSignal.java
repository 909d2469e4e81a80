package io.verbena.tools.base;

import io.verbena.tools.text.Figures;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Ctrl-C (or SIGTERM) as a request, the same for all commands: the process ends within 0.3 s (a server within a second, as a rule at
 * once) with exit code {@link #EXIT_CODE}, after a sentence that says how far the command got. A command that looks at the signal prints
 * its summary in this time; for any other, the sentence is printed here. Without {@link #install} only {@link #raise} raises it.
 */
public final class StopSignal {

    /** 128 and the number of SIGINT, as shells report it. */
    public static final int EXIT_CODE = 130;

    /**
     * How long a command may take to print its summary: 0.2 s, which leaves a tenth of a second for the end of the JVM. Each look counts
     * once, however late it is: on a machine whose processors are busy with other things, the command gets more time as well.
     */
    private static final int LOOKS = 10;

    /** A server has up to a second: its figures come after its connections have been closed, and no other place has them. */
    private static final int LOOKS_AT_SERVER = 50;

    private static final long LOOK_MS = 20;

    /** Ends a wait after the user requested the end. */
    public static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Stopped(String sentence) {
            super(sentence, null, false, false);
        }
    }

    private final CountDownLatch done = new CountDownLatch(1);
    private final long startNs = System.nanoTime();
    private volatile Supplier<String> progress = () -> "";
    private volatile boolean raised;
    private volatile Optional<Process> child = Optional.empty();

    /** Whether the command ends with {@link Stopped}, whose sentence it prints. */
    private volatile boolean ended;

    /** Whether the command ends only by a request, and then with its figures. */
    private volatile boolean serving;

    /** A signal that Ctrl-C raises, from now until the end of the process. */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndWait, "verbena-stop"));
        return signal;
    }

    /**
     * Sets what tells how far the command is.
     *
     * @param current a stage with its amount, such as "Seeds 412 of 1,000"; empty before it begins. Any thread calls it.
     */
    public void follow(Supplier<String> current) {
        progress = current;
    }

    /**
     * Makes the command end as a process does that it runs: the signal is passed on, and the command ends when the process has ended,
     * with the same exit code. A second signal does not shorten that.
     */
    public void follow(Process process) {
        child = Optional.of(process);
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
            throw stopped();
        }
    }

    /** What ends a command that the user has stopped. */
    public Stopped stopped() {
        ended = true;
        return new Stopped(sentence());
    }

    private String sentence() {
        if (serving) {
            return "Stopped after " + Figures.seconds(System.nanoTime() - startNs);
        }
        String reached = progress.get();
        return "Stopped before the end, after " + Figures.seconds(System.nanoTime() - startNs)
                + (reached.isEmpty() ? "" : ": " + reached);
    }

    /** Notes that only a request ends the command, as it does a server: it ends with its figures, and left nothing undone. */
    public void onServing() {
        serving = true;
    }

    /** Notes that the command has ended and printed everything. */
    public void finished() {
        done.countDown();
    }

    private static void endAs(Process process) {
        process.destroy(); // SIGTERM; Ctrl-C reaches the process by the terminal as well
        int code = exitCode(process);
        System.err.println(
                "verbena: Stopped: the signal was passed on, and the command has ended with exit code " + code + ".");
        Runtime.getRuntime().halt(code);
    }

    private static int exitCode(Process process) {
        while (true) {
            try {
                return process.waitFor();
            } catch (InterruptedException e) {
                continue; // no thread interrupts one that ends the JVM; the process decides when
            }
        }
    }

    private boolean endsInTime() throws InterruptedException {
        for (int i = 0; i < (serving ? LOOKS_AT_SERVER : LOOKS); i++) {
            if (done.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                return true;
            }
        }
        return false;
    }

    /** Runs when the process ends. */
    private void stopAndWait() {
        if (done.getCount() == 0) {
            return;
        }
        raised = true;
        child.ifPresent(StopSignal::endAs);
        try {
            if (!endsInTime() || !(ended || serving)) {
                System.err.println("verbena: " + sentence() + ".");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(EXIT_CODE);
    }
}
