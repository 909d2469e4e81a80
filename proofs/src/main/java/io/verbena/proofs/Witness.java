package io.verbena.proofs;

import io.verbena.sockets.nio.VerbenaSelectorProvider;
import io.verbena.sockets.stream.StreamTotals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Runs the main method of an unmodified program. When the JVM ends, the witness writes what carried its connections into a file:
 * a line for each transport, with its connections, bytes read and bytes written.
 */
public final class Witness {

    /** Property: the file. */
    static final String FILE = "verbena.proofs.witness";

    private Witness() {}

    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(System.getProperty(FILE));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("witness").unstarted(() -> write(file)));
        String[] own = Arrays.copyOfRange(arguments, 1, arguments.length);
        try {
            Method main = Class.forName(arguments[0]).getMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) own);
        } catch (InvocationTargetException e) {
            Objects.requireNonNullElse(e.getCause(), e).printStackTrace();
            System.exit(1); // as the launcher of the JVM does, even if threads are left
        }
    }

    /** What the provider of this JVM has carried; nothing if it is that of the JDK. */
    public static List<StreamTotals> totals() {
        return SelectorProvider.provider() instanceof VerbenaSelectorProvider ours ? ours.totals() : List.of();
    }

    private static void write(Path file) {
        try {
            Files.write(file, totals().stream().map(Witness::line).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line of the file. */
    public static String line(StreamTotals totals) {
        return totals.transport() + " " + totals.sockets() + " " + totals.readBytes() + " " + totals.writtenBytes();
    }
}
