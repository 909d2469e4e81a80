package io.verbena.tools.osu;

import io.verbena.messaging.Communicator;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/**
 * The program of each rank: {@code OsuRank OP,…|tune SIZE,… ITERATIONS WARM_UP_NS PROGRAM_MEMORY}. Rank 0 prints a
 * table with the columns of the OSU benchmarks.
 */
public final class OsuRank {

    /** The argument for the iterations of the OSU benchmarks. */
    static final int BY_SIZE = 0;

    private static final int LARGE_BYTES = 8 << 10;
    private static final int PAGE_BYTES = 4096;

    private OsuRank() {}

    /** Runs one rank. */
    public static void main(String[] arguments) throws IOException {
        List<Long> sizes = arguments[1].isEmpty()
                ? List.of()
                : Arrays.stream(arguments[1].split(",", -1)).map(Long::valueOf).toList();
        int iterations = Integer.parseInt(arguments[2]);
        long warmUpNs = Long.parseLong(arguments[3]);
        try (Communicator world = Communicator.world()) {
            LongFunction<MemorySegment> memory =
                    Boolean.parseBoolean(arguments[4]) ? OsuRank::programMemory : world::allocate;
            PrintStream out = world.rank() == 0 ? System.out : new PrintStream(PrintStream.nullOutputStream(), true);
            if (arguments[0].equals(OsuTune.WORD)) {
                new OsuTune(world, iterations, memory).run(out);
            } else {
                for (String word : arguments[0].split(",", -1)) {
                    OsuOp op = OsuOp.named(word).orElseThrow();
                    List<Long> chosen = op == OsuOp.OSU_BARRIER ? List.of(0L) : sizes.isEmpty() ? op.sizes() : sizes;
                    OsuLoops loops = new OsuLoops(world, memory, bytes(op, chosen, world.size()));
                    measure(world, loops, op, chosen, iterations, warmUpNs, out);
                }
            }
        }
    }

    private static MemorySegment programMemory(long bytes) {
        return Arena.ofAuto().allocate(bytes, PAGE_BYTES);
    }

    /** Length of a buffer. */
    private static long bytes(OsuOp op, List<Long> sizes, int ranks) {
        long largest = Collections.max(sizes);
        return Math.max(Long.BYTES, op == OsuOp.OSU_ALLTOALL ? largest * ranks : largest);
    }

    private static void measure(
            Communicator world,
            OsuLoops loops,
            OsuOp op,
            List<Long> sizes,
            int iterations,
            long warmUpNs,
            PrintStream out) {
        out.println("# " + op.word() + ", " + world.size() + " ranks");
        out.println("# " + (op == OsuOp.OSU_BARRIER ? "" : String.format(Locale.ROOT, "%-8s", "Size"))
                + String.format(Locale.ROOT, "%18s", op.column())
                + (op.hasBusBandwidth() ? String.format(Locale.ROOT, "%18s", "Bus BW (MB/s)") : ""));
        for (long bytes : sizes) {
            new OsuWarmUp(world, count -> loops.run(op, bytes, count)).run(warmUpNs);
            double found = loops.run(op, bytes, iterations == BY_SIZE ? usual(op, bytes) : iterations);
            String size = op == OsuOp.OSU_BARRIER ? "" : String.format(Locale.ROOT, "%-10d", bytes);
            String bus = op.hasBusBandwidth()
                    ? String.format(Locale.ROOT, "%18.2f", op.busBytes(bytes, world.size()) / found)
                    : "";
            out.println(size + String.format(Locale.ROOT, "%18.2f", found) + bus);
        }
    }

    /** The iterations of the OSU benchmarks. */
    private static int usual(OsuOp op, long bytes) {
        boolean large = bytes > LARGE_BYTES;
        return switch (op) {
            case OSU_LATENCY, OSU_PUT_LATENCY, OSU_GET_LATENCY -> large ? 1000 : 10_000;
            case OSU_BW, OSU_BIBW -> large ? 20 : 100;
            default -> large ? 100 : 1000;
        };
    }
}
