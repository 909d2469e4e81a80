package io.verbena.tools;

import io.verbena.files.PeerText;
import io.verbena.tools.text.Columns;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Where a command writes: results to {@code out}, everything else to {@code err}.
 *
 * @param out results
 * @param err problems and progress
 * @param interactive whether {@code err} is a terminal on which a bar may redraw itself
 * @param debug whether problems are shown with their stack trace
 * @param columns of the terminal that {@code out} is; 0 when it is none
 */
public record Terminal(PrintStream out, PrintStream err, boolean interactive, boolean debug, IntSupplier columns) {

    /** One whose results go to a file or another program. */
    public Terminal(PrintStream out, PrintStream err, boolean interactive, boolean debug) {
        this(out, err, interactive, debug, () -> 0);
    }

    /** The process's own streams. {@code VERBENA_DEBUG} in the environment turns stack traces on. */
    public static Terminal system() {
        String debug = System.getenv().getOrDefault("VERBENA_DEBUG", "");
        boolean showResults = isTerminal(1);
        return new Terminal(
                System.out,
                System.err,
                isTerminal(2),
                !debug.isEmpty() && !debug.equals("0"),
                () -> showResults ? Columns.of(1) : 0);
    }

    /** One line on standard error. Whatever it quotes, it does not steer the terminal. */
    public void say(String line) {
        err.println(PeerText.shown(line));
        err.flush();
    }

    /** A line of results, in parts if the terminal is narrow. Whatever it quotes, it does not steer the terminal. */
    public void tell(String line) {
        String shown = PeerText.shown(line);
        int width = columns.getAsInt();
        (width > 0 ? Columns.wrapped(shown, width) : List.of(shown)).forEach(out::println);
        out.flush();
    }

    /** Java tells of standard input and output only; Linux tells of standard error too. */
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
