package io.verbena.bench.side.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * UCX over TCP on loopback or through shared memory, as its own ucx_perftest measures it: two processes, both polling, of which
 * the client prints figures. Its window of unfinished messages is set to ours, its socket buffers too.
 */
public final class UcxPerftest implements Contestant {

    private static final String PROGRAM = "ucx_perftest";
    private static final long START_LIMIT_NS = 10_000_000_000L;
    private static final long RUN_LIMIT_S = 60;

    /** Columns of the last line of ucx_perftest -v: iterations, percentile, average, overall latency (µs), … */
    private static final int OVERALL_MICROS = 3;

    private final String test;
    private final int messageBytes;
    private final int window;
    private final int warmUps;
    private final Map<String, String> environment;

    /**
     * One of ucx_perftest's tests; a window of 0 leaves it to the test, which is 1 for latencies.
     *
     * @throws IllegalStateException if the program is not installed
     */
    public UcxPerftest(String test, int messageBytes, int window, int warmUps, Map<String, String> environment) {
        if (!installed()) {
            throw new IllegalStateException("ucx_perftest is not installed (Debian: apt-get install ucx-utils)");
        }
        this.test = test;
        this.messageBytes = messageBytes;
        this.window = window;
        this.warmUps = warmUps;
        this.environment = environment;
    }

    /** Whether the program is on the path. */
    static boolean installed() {
        return installed(PROGRAM);
    }

    /** Whether a program is in one of the folders of PATH. */
    static boolean installed(String program) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    /** What makes UCX use TCP over loopback, with the socket buffers of the others. */
    public static Map<String, String> overTcp(int socketBufferBytes) {
        String buffer = socketBufferBytes > 0 ? String.valueOf(socketBufferBytes) : "auto";
        return Map.of(
                "UCX_TLS", "tcp",
                "UCX_NET_DEVICES", "lo",
                "UCX_TCP_SNDBUF", buffer,
                "UCX_TCP_RCVBUF", buffer,
                "UCX_WARN_UNUSED_ENV_VARS", "n");
    }

    /** What makes UCX use shared memory and nothing else. */
    public static Map<String, String> throughSharedMemory() {
        return Map.of("UCX_TLS", "posix", "UCX_WARN_UNUSED_ENV_VARS", "n");
    }

    @Override
    public long run(long messages) throws Exception {
        int port = freePort();
        Process server = start(List.of(PROGRAM, "-p", String.valueOf(port)));
        try {
            awaitListening(server, port);
            List<String> command = Stream.of(
                            List.of(PROGRAM, "127.0.0.1", "-p", String.valueOf(port), "-v", "-f"),
                            List.of("-t", test, "-s", String.valueOf(messageBytes)),
                            List.of("-n", String.valueOf(messages), "-w", String.valueOf(warmUps)),
                            window > 0 ? List.of("-O", String.valueOf(window)) : List.<String>of())
                    .flatMap(List::stream)
                    .toList();
            Process client = start(command);
            try {
                String out = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!client.waitFor(RUN_LIMIT_S, TimeUnit.SECONDS) || client.exitValue() != 0) {
                    throw new IOException(PROGRAM + " failed: " + out.strip());
                }
                return Math.round(overallMicros(out) * 1e3 * messages * perIteration());
            } finally {
                client.destroyForcibly();
            }
        } finally {
            if (!server.waitFor(2, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    /** Latency tests print half a round trip; bandwidth tests the time of a message. */
    private int perIteration() {
        return test.endsWith("lat") ? 2 : 1;
    }

    /** The overall latency in the last line of figures, in microseconds. */
    static double overallMicros(String output) throws IOException {
        String[] columns = output.lines()
                .filter(line -> line.matches("\\s*\\d+(,[-\\d.]+)+\\s*"))
                .reduce((first, second) -> second)
                .map(line -> line.strip().split(","))
                .orElseThrow(() -> new IOException(PROGRAM + " printed no figures: " + output.strip()));
        if (columns.length <= OVERALL_MICROS) {
            throw new IOException(PROGRAM + " printed other columns than expected: " + String.join(",", columns));
        }
        return Double.parseDouble(columns[OVERALL_MICROS]);
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("UCX_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Reads the kernel's table, because a trial connection would be mistaken for the client. */
    private static void awaitListening(Process server, int port) throws IOException, InterruptedException {
        String listening = String.format(Locale.ROOT, ":%04X [0-9A-F]+:0000 0A ", port);
        long beginNs = System.nanoTime();
        while (Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .noneMatch(table -> lines(table).anyMatch(line -> line.matches(".*" + listening + ".*")))) {
            if (!server.isAlive() || System.nanoTime() - beginNs > START_LIMIT_NS) {
                throw new IOException(PROGRAM + " did not start to listen");
            }
            Thread.sleep(5);
        }
    }

    private static Stream<String> lines(String table) {
        try {
            return Files.readAllLines(Path.of(table)).stream();
        } catch (IOException e) {
            return Stream.empty(); // no IPv6, for example
        }
    }

    @Override
    public void close() {}
}
