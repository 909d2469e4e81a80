package io.verbena.tools.command;

import io.verbena.text.PeerText;
import io.verbena.tools.base.ResultStream;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Columns;
import io.verbena.tools.text.ProgressBar;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * The output of a command: results go to {@code out}, everything else to {@code err}.
 *
 * @param out results
 * @param err problems and progress
 * @param interactive whether {@code err} is a terminal on which a bar may redraw itself
 * @param debug whether errors are printed with their stack trace
 * @param columns width of the terminal that {@code out} is; 0 if it is not a terminal
 */
public record Terminal(PrintStream out, PrintStream err, boolean interactive, boolean debug, IntSupplier columns) {

    /** Output whose results go to a file or another program. */
    public Terminal(PrintStream out, PrintStream err, boolean interactive, boolean debug) {
        this(out, err, interactive, debug, () -> 0);
    }

    /**
     * Progress on standard error; hidden if {@code quiet}.
     *
     * @param stop tells how far the bar is when the user stops the command
     */
    public ProgressBar bar(StopSignal stop, boolean quiet, String label, long total) {
        ProgressBar bar = quiet ? ProgressBar.hidden(label, total) : new ProgressBar(err, interactive, label, total);
        stop.follow(bar::progress);
        return bar;
    }

    /** The process's own streams. {@code VERBENA_DEBUG} in the environment turns stack traces on. */
    public static Terminal system() {
        String debug = System.getenv().getOrDefault("VERBENA_DEBUG", "");
        boolean showResults = isTerminal(1);
        return new Terminal(
                ResultStream.to(new FileOutputStream(FileDescriptor.out), System.out.charset()),
                System.err,
                isTerminal(2),
                !debug.isEmpty() && !debug.equals("0"),
                () -> showResults ? Columns.of(1) : 0);
    }

    /** Writes what is buffered. Returns why results could not be written, if any were lost. */
    public Optional<String> lostResults() {
        err.flush();
        if (out instanceof ResultStream results) {
            return results.failure().map(Problems::sentence);
        }
        return out.checkError() ? Optional.of("Error unknown.") : Optional.empty();
    }

    /** Prints one line on standard error, without characters that control the terminal. */
    public void say(String line) {
        err.println(PeerText.shown(line));
        err.flush();
    }

    /** Prints a line of results, wrapped at the width of the terminal, without characters that control the terminal. */
    public void tell(String line) {
        String shown = PeerText.shown(line);
        int width = columns.getAsInt();
        (width > 0 ? Columns.wrapped(shown, width) : List.of(shown)).forEach(out::println);
        out.flush();
    }

    /** Java knows about standard input and output only; Linux also about standard error. */
    @SuppressWarnings("SystemConsoleNull") // it is null when jdk.console says so
    private static boolean isTerminal(int number) {
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        Path descriptor = Path.of("/proc/self/fd/" + number);
        try {
            if (Files.isSymbolicLink(descriptor)) {
                String target = Files.readSymbolicLink(descriptor).toString();
                return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
            }
        } catch (IOException e) {
            return false;
        }
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
