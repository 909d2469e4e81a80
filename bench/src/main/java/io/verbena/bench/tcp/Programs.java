package io.verbena.bench.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The processes of a run: those that serve until its end, and clients that print one result. */
final class Programs implements AutoCloseable {

    private static final String VERBENA = "io.verbena.tools.Verbena";
    private static final int START_S = 60;

    private final List<Process> servers = new ArrayList<>();
    private final double seconds;

    /** Clients measure for this long, after half of it to warm up. */
    Programs(double seconds) {
        this.seconds = seconds;
    }

    /** Starts a {@link KernelPeer} and waits until it listens. */
    void kernelPeer(boolean far, String address, int port) throws IOException, InterruptedException {
        start(Wires.java(far, KernelPeer.class.getName(), List.of(address, String.valueOf(port))), KernelPeer.READY);
    }

    /** Starts {@code verbena perf --server} with these options, and waits until it listens. */
    void perfServer(boolean far, String address, int port, String... options) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of("perf", "--server", "--provider", "iwarp", "--listen", address + ":" + port));
        arguments.addAll(List.of(options));
        start(Wires.java(far, VERBENA, arguments), String.valueOf(port));
    }

    private void start(List<String> command, String ready) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        servers.add(process);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        Thread watch = Thread.ofVirtual().start(() -> {
            try {
                TimeUnit.SECONDS.sleep(START_S);
                process.destroyForcibly();
            } catch (InterruptedException e) {
                // it has started
            }
        });
        StringBuilder said = new StringBuilder();
        String line;
        while ((line = lines.readLine()) != null) {
            said.append(line).append('\n');
            if (line.contains(ready) && !line.startsWith("WARNING")) {
                watch.interrupt();
                Thread.ofVirtual().start(() -> drain(lines));
                return;
            }
        }
        watch.interrupt();
        throw new IOException("the program did not start: " + String.join(" ", command) + "\n" + said);
    }

    private static void drain(BufferedReader lines) {
        try {
            while (lines.readLine() != null) {
                // so that the process never waits for a reader
            }
        } catch (IOException e) {
            // it was ended
        }
    }

    /** The result of a client, as JSON. */
    record Result(String json) {

        double number(String name) throws IOException {
            Matcher found = Pattern.compile("\"" + name + "\":([-0-9.eE]+)").matcher(json);
            if (!found.find()) {
                throw new IOException("the result has no figure '" + name + "': " + json);
            }
            return Double.parseDouble(found.group(1));
        }
    }

    /** Runs {@code verbena perf} against a server. */
    Result perf(String operation, String server, int port, int bytes, String... options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(
                "perf",
                operation,
                server + ":" + port,
                "--provider",
                "iwarp",
                "--size",
                String.valueOf(bytes),
                "--seconds",
                String.valueOf(seconds),
                "--warm-up",
                String.valueOf(seconds / 2),
                "--json",
                "--quiet"));
        arguments.addAll(List.of(options));
        Process process = new ProcessBuilder(Wires.java(false, VERBENA, arguments)).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            throw new IOException("'verbena " + String.join(" ", arguments) + "' failed: " + output + errors);
        }
        return new Result(output);
    }

    @Override
    public void close() {
        for (Process each : servers) {
            each.destroy();
            each.descendants().forEach(ProcessHandle::destroy);
        }
    }
}
