package io.verbena.tools;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One run of the command line inside the test's JVM, in a thread of its own, with its output kept. */
public final class CliRun implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("Listening at (\\S+):(\\d+)\\.");
    private static final long LONGEST_SECONDS = 120;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final StopSignal stop = new StopSignal();
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    private final boolean interactive;
    private final int columns;

    private CliRun(boolean interactive, int columns) {
        this.interactive = interactive;
        this.columns = columns;
    }

    /** Runs to the end. */
    public static CliRun of(String... arguments) {
        CliRun run = start(arguments);
        run.code();
        return run;
    }

    /** Starts, and returns while it runs. */
    public static CliRun start(String... arguments) {
        return start(new CliRun(false, 0), arguments);
    }

    /** The same with bars drawn as on a terminal. */
    static CliRun onTerminal(String... arguments) {
        return start(new CliRun(true, 0), arguments);
    }

    /** The same on a terminal of this width, which results are printed to. */
    static CliRun onTerminal(int columns, String... arguments) {
        return start(new CliRun(false, columns), arguments);
    }

    private static CliRun start(CliRun run, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        Thread.ofPlatform().daemon().name("cli " + all).start(() -> run.execute(all));
        return run;
    }

    private void execute(List<String> arguments) {
        Terminal terminal = new Terminal(print(out), print(err), interactive, false, () -> columns);
        try {
            code.complete(Verbena.run(terminal, stop, arguments.toArray(String[]::new)));
        } catch (Throwable e) {
            code.completeExceptionally(e);
        }
    }

    private static PrintStream print(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    /** Waits for the end. */
    public int code() {
        try {
            return code.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no end; standard error so far:\n" + err(), e);
        }
    }

    boolean ended() {
        return code.isDone();
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** Ctrl-C. */
    public void interrupt() {
        stop.raise();
    }

    /** Waits until a server says its port. */
    public int port() throws InterruptedException {
        return Integer.parseInt(await(LISTENING, this::err).group(2));
    }

    /** Waits until a server says its address. A server at every address is reached through the loopback interface. */
    public String host() throws InterruptedException {
        String host = await(LISTENING, this::err).group(1);
        return host.matches("\\[::]|0\\.0\\.0\\.0") ? "127.0.0.1" : host;
    }

    /** Waits until standard error holds a text. */
    public void awaitErr(String text) throws InterruptedException {
        await(Pattern.compile(Pattern.quote(text)), this::err);
    }

    /** Waits until standard output holds a text. */
    public void awaitOut(String text) throws InterruptedException {
        await(Pattern.compile(Pattern.quote(text)), this::out);
    }

    private Matcher await(Pattern pattern, Supplier<String> where) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (System.nanoTime() - deadlineNs < 0) {
            boolean last = ended();
            Matcher matcher = pattern.matcher(where.get());
            if (matcher.find()) {
                return matcher;
            }
            if (last) {
                break;
            }
            Thread.sleep(2);
        }
        throw new AssertionError("'" + pattern + "' does not come: " + out() + err());
    }

    @Override
    public void close() {
        stop.raise();
    }
}
