package io.verbena.bench.tcp;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A run of {@code bench/tcp} in namespaces of its own. */
public final class TcpComparison {

    private static final double MS_PER_S = 1e3;

    /** What can be measured on its own. */
    public enum Part {
        TRANSFERS,
        WRITES,
        HOLES
    }

    private final int pairs;
    private final double seconds;
    private final List<Part> parts;

    /** Measures these parts, each sample for this many seconds. */
    public TcpComparison(int pairs, double seconds, List<Part> parts) {
        this.pairs = pairs;
        this.seconds = seconds;
        this.parts = List.copyOf(parts);
    }

    /** Measures and prints. */
    public void run(boolean json, PrintStream out, PrintStream err) throws Exception {
        Table table = new Table();
        String before = load();
        Wires.create();
        try (Programs programs = new Programs(seconds)) {
            long milliseconds = (long) (seconds * MS_PER_S);
            if (parts.contains(Part.TRANSFERS) || parts.contains(Part.WRITES)) {
                new TransferRows(table, pairs, milliseconds, err::println).run(programs);
            }
            if (parts.contains(Part.WRITES)) {
                new WriteRows(table, programs, pairs, err::println).run();
            }
            if (parts.contains(Part.HOLES)) {
                new HoleRows(table, pairs).run();
            }
        }
        String place = Runtime.getRuntime().availableProcessors() + " processors, " + pairs + " pairs of " + seconds
                + " s, load " + before + " before and " + load() + " after the run; JDK "
                + Runtime.version().feature() + ", Linux " + System.getProperty("os.version");
        if (json) {
            out.println(table.json().put("machine", place));
        } else {
            table.lines().forEach(out::println);
            out.println(place + ".");
        }
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0];
    }
}
