package io.verbena.tools;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a command writes: results to {@code out}, everything else to {@code err}.
 *
 * @param out results
 * @param err problems and progress
 * @param interactive whether {@code err} is a terminal on which a bar may redraw itself
 * @param debug whether problems are shown with their stack trace
 */
public record Terminal(PrintStream out, PrintStream err, boolean interactive, boolean debug) {

    /** The process's own streams. {@code VERBENA_DEBUG} in the environment turns stack traces on. */
    public static Terminal system() {
        String debug = System.getenv().getOrDefault("VERBENA_DEBUG", "");
        return new Terminal(System.out, System.err, errIsTerminal(), !debug.isEmpty() && !debug.equals("0"));
    }

    /** Java tells of standard input and output only; Linux tells of standard error too. */
    @SuppressWarnings("SystemConsoleNull") // it is null when jdk.console says so
    private static boolean errIsTerminal() {
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        Path descriptor = Path.of("/proc/self/fd/2");
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
