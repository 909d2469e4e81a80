package io.verbena.tools.base;

import io.verbena.base.Times;
import io.verbena.text.PeerText;
import io.verbena.tools.text.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server in a separate process, which runs this program. It reads a token from its standard input, prints its address on one
 * line of its standard output, and ends when its standard input ends, so that it never outlives this process.
 */
public final class ServerProcess implements AutoCloseable {

    /** Options of the JVM that the launcher chose, one per line: the start of a child is as fast as ours. */
    private static final String LAUNCH_OPTIONS = "io.verbena.launch.options";

    private static final long SLICE_MS = 100;
    private static final long END_SECONDS = 5;
    private static final long DEATH_SECONDS = 2;

    private final Process process;
    private final boolean echoErrors;
    private final CompletableFuture<String> firstLine = new CompletableFuture<>();
    private volatile String lastError = "";

    private ServerProcess(Process process, boolean echoErrors) {
        this.process = process;
        this.echoErrors = echoErrors;
    }

    /**
     * Starts the process.
     *
     * @param mainClass main class of this program
     * @param arguments for the command line of the server process
     * @param token the secret of its clients
     * @param echoErrors whether its standard error is copied to this process's
     * @throws Failure if the process cannot be started
     */
    public static ServerProcess start(Class<?> mainClass, List<String> arguments, byte[] token, boolean echoErrors)
            throws Failure {
        List<String> command = new ArrayList<>(javaCommand(mainClass));
        command.addAll(arguments);
        try {
            ServerProcess server = new ServerProcess(new ProcessBuilder(command).start(), echoErrors);
            Thread.ofVirtual().start(server::readOutput);
            Thread.ofVirtual().start(server::readErrors);
            server.tell(token);
            return server;
        } catch (IOException e) {
            throw new Failure("Cannot start the server process: " + e.getMessage(), e);
        }
    }

    /** The command that started this program, with a module path or a class path. */
    private static List<String> javaCommand(Class<?> mainClass) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        System.getProperty(LAUNCH_OPTIONS, "").lines().forEach(command::add);
        if (mainClass.desiredAssertionStatus()) {
            command.add("-ea");
        }
        Module module = mainClass.getModule();
        command.add("--enable-native-access=" + (module.isNamed() ? "io.verbena" : "ALL-UNNAMED"));
        if (module.isNamed()) {
            command.addAll(List.of("-p", System.getProperty("jdk.module.path", "")));
            command.addAll(List.of("-m", module.getName() + "/" + mainClass.getName()));
        } else {
            command.addAll(List.of("-cp", System.getProperty("java.class.path", "")));
            command.add(mainClass.getName());
        }
        return command;
    }

    /** Sends the token. If the process ended before it could read, {@link #awaitAddress} reports it. */
    private void tell(byte[] token) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((HexFormat.of().formatHex(token) + "\n").getBytes(StandardCharsets.US_ASCII));
            in.flush();
        } catch (IOException e) {
            lastError = "it does not read its standard input";
        }
    }

    /**
     * Waits for the address at which it listens. Time in which this machine has no processor for the process does not count; see
     * {@link SharedTime}.
     *
     * @throws Failure if it does not start
     */
    public InetSocketAddress awaitAddress(Duration timeout, StopSignal stop) throws Failure {
        SharedTime time = new SharedTime(Times.nanos(timeout), System.nanoTime());
        while (true) {
            stop.check();
            try {
                return address(firstLine.get(SLICE_MS, TimeUnit.MILLISECONDS));
            } catch (TimeoutException e) {
                if (time.over(System.nanoTime(), SharedTime.share())) {
                    throw new Failure(
                            "The server process did not print its address within " + Figures.seconds(timeout));
                }
            } catch (ExecutionException e) {
                throw new Failure(death().orElse("The server process closed its output before it printed its address"));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Failure("Interrupted while waiting for the server process to start", e);
            }
        }
    }

    private static InetSocketAddress address(String line) throws Failure {
        int colon = line.lastIndexOf(':');
        try {
            InetAddress host = InetAddress.ofLiteral(
                    line.substring(0, Math.max(0, colon)).strip().replaceAll("[\\[\\]]", ""));
            return new InetSocketAddress(
                    host, Integer.parseInt(line.substring(colon + 1).strip()));
        } catch (IllegalArgumentException e) {
            throw new Failure("The server process printed '" + line + "' instead of its address", e);
        }
    }

    /**
     * A sentence if the process has ended with an error, or does so within two seconds; empty if it runs or ended because its
     * last client had left.
     */
    public Optional<String> death() {
        try {
            if (!process.waitFor(DEATH_SECONDS, TimeUnit.SECONDS) || process.exitValue() == 0) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        String error = lastError;
        return Optional.of("The server process ended early with exit code " + process.exitValue()
                + (error.isEmpty() ? "" : "; its last message: " + error));
    }

    private void readOutput() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                firstLine.complete(line);
            }
            firstLine.completeExceptionally(new IOException("end of output"));
        } catch (IOException e) {
            firstLine.completeExceptionally(e);
        }
    }

    private void readErrors() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) {
                    lastError = line.strip();
                }
                if (echoErrors) {
                    System.err.println("server process: " + PeerText.shown(line));
                }
            }
        } catch (IOException e) {
            lastError = "cannot read its standard error: " + e.getMessage();
        }
    }

    /** Closes its standard input, which ends it. Ends it by force if that does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroy();
        }
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
