package io.verbena.tools.net;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs commands one after the other and shows each. */
public final class DeviceCommands {

    private static final long TIMEOUT_S = 20;

    private final Consumer<String> show;
    private final boolean dryRun;

    /** Shows each command to {@code show}; with {@code dryRun} it runs none. */
    public DeviceCommands(Consumer<String> show, boolean dryRun) {
        this.show = show;
        this.dryRun = dryRun;
    }

    /**
     * Runs the commands up to the first that fails.
     *
     * @throws Failure with the command that failed, what it printed, and what to do
     */
    public void run(List<List<String>> commands) throws Failure, InterruptedException {
        for (List<String> command : commands) {
            show.accept(String.join(" ", command));
            if (!dryRun) {
                runOne(command);
            }
        }
    }

    private static void runOne(List<String> command) throws Failure, InterruptedException {
        String line = String.join(" ", command);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new Failure("'" + line + "' has not ended after " + TIMEOUT_S + " s");
            }
            if (process.exitValue() != 0) {
                throw new Failure("'" + line + "' failed with exit code " + process.exitValue() + ": "
                        + (output.isEmpty()
                                ? "it printed nothing"
                                : output.lines().findFirst().orElse(""))
                        + (isRoot() ? "" : "; network devices need the privilege CAP_NET_ADMIN: run it as root"));
            }
        } catch (IOException e) {
            throw new Failure("'" + line + "' cannot be run: install iproute2, which has the program ip", e);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name", "").equals("root");
    }
}
