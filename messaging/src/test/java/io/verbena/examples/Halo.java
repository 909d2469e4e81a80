package io.verbena.examples;

import io.verbena.messaging.Communicator;
import io.verbena.messaging.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Heat spreads over a plate: a 2-D stencil whose rows are shared out among the ranks. After each step neighbours exchange the
 * rows at their borders, the halo.
 *
 * <pre>verbena run -n 4 -- messaging/src/test/java/io/verbena/examples/Halo.java [EDGE [STEPS]]</pre>
 */
public class Halo {

    public static void main(String... args) throws Exception {
        int edge = args.length > 0 ? Integer.parseInt(args[0]) : 512;
        int steps = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        try (Communicator world = Communicator.world()) {
            double heat = simulate(world, edge, steps);
            if (world.rank() == 0) {
                System.out.printf(
                        "%d steps on %d x %d cells, %d ranks: total heat %.6f%n",
                        steps, edge, edge, world.size(), heat);
            }
        }
    }

    /** Runs it and returns, on rank 0, the heat of the whole plate. */
    public static double simulate(Communicator world, int edge, int steps) {
        int first = edge * world.rank() / world.size();
        int rows = edge * (world.rank() + 1) / world.size() - first;
        long row = edge * 8L;
        Arena arena = Arena.ofShared();
        try {
            MemorySegment now = arena.allocate((rows + 2) * row, 64); // rows 0 and rows + 1 are the neighbours'
            MemorySegment next = arena.allocate((rows + 2) * row, 64);
            int hot = edge / 3;
            if (hot >= first && hot < first + rows) {
                now.setAtIndex(ValueLayout.JAVA_DOUBLE, (long) (hot - first + 1) * edge + hot, 1_000_000.0);
            }
            for (int step = 0; step < steps; step++) {
                exchange(world, now, rows, row);
                relax(now, next, rows, edge);
                MemorySegment swap = now;
                now = next;
                next = swap;
            }
            return sum(world, now, rows, edge);
        } finally {
            world.barrier(); // no rank reads this memory any more
            arena.close();
        }
    }

    private static void exchange(Communicator world, MemorySegment plate, int rows, long row) {
        int above = world.rank() - 1;
        int below = world.rank() + 1;
        Request[] all = new Request[(above >= 0 ? 2 : 0) + (below < world.size() ? 2 : 0)];
        int count = 0;
        if (above >= 0) {
            all[count++] = world.irecv(plate, 0, row, above, 0);
            all[count++] = world.isend(plate, row, row, above, 1);
        }
        if (below < world.size()) {
            all[count++] = world.irecv(plate, (rows + 1) * row, row, below, 1);
            all[count++] = world.isend(plate, rows * row, row, below, 0);
        }
        Request.awaitAll(all);
    }

    private static void relax(MemorySegment from, MemorySegment to, int rows, int edge) {
        for (int y = 1; y <= rows; y++) {
            for (int x = 1; x < edge - 1; x++) {
                long at = (long) y * edge + x;
                double around = cell(from, at - 1) + cell(from, at + 1) + cell(from, at - edge) + cell(from, at + edge);
                to.setAtIndex(ValueLayout.JAVA_DOUBLE, at, 0.5 * cell(from, at) + 0.125 * around);
            }
        }
    }

    private static double cell(MemorySegment plate, long at) {
        return plate.getAtIndex(ValueLayout.JAVA_DOUBLE, at);
    }

    private static double sum(Communicator world, MemorySegment plate, int rows, int edge) {
        double heat = 0;
        for (long at = edge; at < (long) (rows + 1) * edge; at++) {
            heat += cell(plate, at);
        }
        MemorySegment one = Arena.ofAuto().allocate(8);
        one.set(ValueLayout.JAVA_DOUBLE, 0, heat);
        if (world.rank() > 0) {
            world.send(one, 0, 2);
            return heat;
        }
        for (int i = 1; i < world.size(); i++) {
            world.recv(one, i, 2);
            heat += one.get(ValueLayout.JAVA_DOUBLE, 0);
        }
        return heat;
    }
}
