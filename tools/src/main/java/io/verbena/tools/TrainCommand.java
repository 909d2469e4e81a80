package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.demo.DemoClient;
import io.verbena.tools.demo.DemoServer;
import io.verbena.tools.demo.DemoSettings;
import io.verbena.tools.demo.DemoSource;
import io.verbena.tools.demo.Fault;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code verbena train}: runs the common commands once, both ends of the demo in this process. The launcher runs it while
 * the JDK records classes and profiles for its ahead-of-time cache (JEP 483, JEP 515).
 */
@Command(
        name = "train",
        hidden = true,
        description = {"Runs the common commands once, for the JDK's ahead-of-time cache; the launcher does that.", ""},
        sortOptions = false)
final class TrainCommand implements Callable<Integer> {

    private static final byte[] TOKEN = {1};
    private static final Pattern PORT = Pattern.compile("Listening at \\S+:(\\d+)\\.");
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final long FILE_BYTES = 32L << 20;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int DEPTH = 16;
    private static final int CONNECTIONS = 4;

    /**
     * Times of a stage for which a latency is measured, and a bandwidth. The JDK compiles a method with its second
     * compiler at once if it did so while it recorded, and for that a message has to be sent some ten thousand times.
     */
    private static final double LATENCY_STAGES = 2;

    private static final double BANDWIDTH_STAGES = 0.5;

    private final StopSignal stop;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    @Option(
            names = "--temp",
            paramLabel = "FOLDER",
            defaultValue = "${sys:java.io.tmpdir}",
            description = "Folder for temporary files.")
    private Path folder = Path.of(".");

    @Option(
            names = "--millis",
            paramLabel = "N",
            defaultValue = "300",
            description = "Time of each stage of the demo. Default: ${DEFAULT-VALUE}.")
    private long stageMs = 300;

    TrainCommand(StopSignal stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() throws Failure, IOException, InterruptedException {
        run("--help");
        run("info");
        run("info", "--json");
        run("demo", "--help");
        run("demo", "--size", "1M", "--seconds", "0.01", "--temp", folder.toString());
        ping();
        for (String provider : List.of("", "iwarp")) {
            perf(provider, "write_lat,send_lat,read_lat,fetch_add_lat", "--inline", LATENCY_STAGES);
            perf(provider, "write_bw,send_bw,read_bw", "--engine-thread", BANDWIDTH_STAGES);
        }
        demo(Progress.ENGINE_THREAD);
        return ExitCode.OK;
    }

    /** Runs a command whose output goes nowhere. */
    private void run(String... arguments) throws Failure {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Verbena.run(silent(err), stop, arguments);
        if (code != ExitCode.OK) {
            throw new Failure("The command " + String.join(" ", arguments) + " ended with exit code " + code + ": "
                    + err.toString(StandardCharsets.UTF_8).strip());
        }
    }

    private static Terminal silent(ByteArrayOutputStream err) {
        return new Terminal(
                new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false);
    }

    private void ping() throws Failure, InterruptedException {
        Server server = new Server(stop, "ping", "--server", "-a", "127.0.0.1", "-p", "0");
        run("ping", "127.0.0.1", "-p", server.port(), "-C", "200");
        server.thread.join(LONGEST);
    }

    /** A measurement in which both sides wait in the same way. */
    private void perf(String provider, String ops, String progress, double stages)
            throws Failure, InterruptedException {
        List<String> chosen = new ArrayList<>(List.of(progress));
        if (!provider.isEmpty()) {
            chosen.addAll(List.of("--provider", provider));
        }
        List<String> serving = new ArrayList<>(List.of("perf", "--server", "--listen", "127.0.0.1:0"));
        serving.addAll(chosen);
        StopSignal end = new StopSignal();
        Server server = new Server(end, serving.toArray(String[]::new));
        try {
            List<String> measuring = new ArrayList<>(List.of("perf", ops, "127.0.0.1:" + server.port()));
            measuring.addAll(
                    List.of("--quiet", "--warm-up", "0", "--seconds", Double.toString(stages * stageMs / 1e3)));
            measuring.addAll(chosen);
            run(measuring.toArray(String[]::new));
        } finally {
            end.raise();
            server.thread.join(LONGEST);
        }
    }

    /** A server in a thread of this process. */
    private static final class Server {

        private final String name;
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Thread thread;

        Server(StopSignal stop, String... arguments) {
            name = arguments[0];
            thread = Thread.ofPlatform()
                    .daemon()
                    .name("train-" + name)
                    .start(() -> Verbena.run(silent(err), stop, arguments));
        }

        /** Waits until it listens. */
        String port() throws Failure, InterruptedException {
            long deadlineNs = System.nanoTime() + LONGEST.toNanos();
            Matcher port = PORT.matcher("");
            while (!port.find()) {
                if (!thread.isAlive() || System.nanoTime() - deadlineNs >= 0) {
                    throw new Failure(
                            "The " + name + " server does not listen: " + err.toString(StandardCharsets.UTF_8));
                }
                thread.join(Duration.ofMillis(1));
                port = PORT.matcher(err.toString(StandardCharsets.UTF_8));
            }
            return port.group(1);
        }
    }

    /** Both ends in this process, so that one recording has the profiles of both. */
    private void demo(Progress progress) throws Failure, IOException, InterruptedException {
        DemoSettings settings = new DemoSettings(
                new DemoSettings.Transfer(PIECE_BYTES, DEPTH, Duration.ofMillis(stageMs)),
                new DemoSettings.Operations(CONNECTIONS, Duration.ofMillis(stageMs)),
                LONGEST,
                folder,
                ConnectionOptions.defaults(),
                RnicOptions.defaults().withProgress(progress));
        StopSignal end = new StopSignal();
        CompletableFuture<SocketAddress> address = new CompletableFuture<>();
        Thread server = Thread.ofPlatform().daemon().name("train-demo").start(() -> serve(settings, end, address));
        try (DemoSource source = DemoSource.generated(FILE_BYTES, folder)) {
            source.fill(1, (label, total) -> ProgressBar.hidden(), stop);
            new DemoClient(settings, (label, total) -> ProgressBar.hidden(), stop)
                    .run(address.get(LONGEST.toSeconds(), TimeUnit.SECONDS), TOKEN, source);
        } catch (ExecutionException | TimeoutException e) {
            throw new Failure("The demo's server does not listen: " + e.getMessage(), e);
        } finally {
            end.raise();
            server.join(LONGEST);
        }
    }

    private static void serve(DemoSettings settings, StopSignal stop, CompletableFuture<SocketAddress> address) {
        RnicOptions options = settings.rnic();
        DemoServer.Service service =
                new DemoServer.Service(options.progress(), settings.connection(), settings.folder(), Fault.NONE);
        try (Rnic rnic = Rnic.open(options);
                DemoServer server = new DemoServer(rnic, service, TOKEN, stop);
                Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            address.complete(listener.localAddress());
            server.serve(listener);
        } catch (IOException | RuntimeException e) {
            address.completeExceptionally(e);
        }
    }
}
