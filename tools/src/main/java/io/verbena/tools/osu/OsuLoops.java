package io.verbena.tools.osu;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.Request;
import io.verbena.messaging.Status;
import io.verbena.messaging.Window;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongFunction;

/** The loops of the OSU benchmarks; all ranks call them with the same arguments, and rank 0 gets the result. */
final class OsuLoops {

    /** Outstanding messages of a bandwidth measurement. */
    private static final int WINDOW = 64;

    private final Communicator world;
    private final Collectives<Communicator> calls;
    private final MemorySegment sent;
    private final MemorySegment received;
    private final Status status = new Status();

    /** With two buffers of this length. */
    OsuLoops(Communicator world, LongFunction<MemorySegment> memory, long bytes) {
        this.world = world;
        calls = world.collectives();
        sent = memory.apply(bytes);
        received = memory.apply(bytes);
    }

    /** Microseconds of one operation, or MB/s. */
    double run(OsuOp op, long bytes, int iterations) {
        return switch (op) {
            case OSU_LATENCY -> latency(bytes, iterations);
            case OSU_BW -> bandwidth(bytes, iterations, false);
            case OSU_BIBW -> bandwidth(bytes, iterations, true);
            case OSU_PUT_LATENCY -> remote(bytes, iterations, true);
            case OSU_GET_LATENCY -> remote(bytes, iterations, false);
            default -> collective(op, bytes, iterations);
        };
    }

    private static double micros(long startNs, double operations) {
        return (System.nanoTime() - startNs) / operations / 1e3;
    }

    private double latency(long bytes, int iterations) {
        world.barrier();
        long startNs = System.nanoTime();
        int rank = world.rank();
        for (int i = 0; i < iterations && rank < 2; i++) {
            if (rank == 0) {
                world.send(sent, 0, bytes, 1, 1);
                world.recv(received, 0, bytes, 1, 1, status);
            } else {
                world.recv(received, 0, bytes, 0, 1, status);
                world.send(sent, 0, bytes, 0, 1);
            }
        }
        return micros(startNs, 2.0 * iterations);
    }

    private double bandwidth(long bytes, int windows, boolean both) {
        world.barrier();
        int rank = world.rank();
        long startNs = System.nanoTime();
        Request[] requests = new Request[both ? 2 * WINDOW : WINDOW];
        for (int i = 0; i < windows && rank < 2; i++) {
            int count = 0;
            for (int k = 0; k < WINDOW && (both || rank == 1); k++) {
                requests[count++] = world.irecv(received, 0, bytes, 1 - rank, 2);
            }
            for (int k = 0; k < WINDOW && (both || rank == 0); k++) {
                requests[count++] = world.isend(sent, 0, bytes, 1 - rank, 2);
            }
            Request.awaitAll(requests);
            if (rank == 0) {
                world.recv(received, 0, 4, 1, 3, status);
            } else {
                world.send(sent, 0, 4, 0, 3);
            }
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        return (both ? 2.0 : 1.0) * bytes * WINDOW * windows / seconds / 1e6;
    }

    private double remote(long bytes, int iterations, boolean puts) {
        try (Window window = world.window(received.asSlice(0, bytes))) {
            double micros = 0;
            if (world.rank() == 0) {
                MemorySegment own = sent.asSlice(0, bytes);
                window.lock(1, false);
                long startNs = System.nanoTime();
                for (int i = 0; i < iterations; i++) {
                    if (puts) {
                        window.put(own, 1, 0);
                    } else {
                        window.get(own, 1, 0);
                    }
                    window.flush(1);
                }
                micros = micros(startNs, iterations);
                window.unlock(1);
            }
            world.barrier();
            return micros;
        }
    }

    private double collective(OsuOp op, long bytes, int iterations) {
        long blocks = op == OsuOp.OSU_ALLTOALL ? bytes * world.size() : bytes;
        MemorySegment from = sent.asSlice(0, blocks);
        MemorySegment into = received.asSlice(0, blocks);
        world.barrier();
        long ns = 0;
        for (int i = 0; i < iterations; i++) {
            long startNs = System.nanoTime();
            switch (op) {
                case OSU_BARRIER -> world.barrier();
                case OSU_BCAST -> calls.bcast(into, 0);
                case OSU_ALLREDUCE -> calls.allreduce(from, into, ElementType.FLOAT, PredefinedReduction.SUM);
                default -> calls.alltoall(from, into);
            }
            ns += System.nanoTime() - startNs;
            if (op != OsuOp.OSU_BARRIER) {
                world.barrier();
            }
        }
        MemorySegment sum = Arena.ofAuto().allocate(ValueLayout.JAVA_DOUBLE, 1);
        sum.set(ValueLayout.JAVA_DOUBLE, 0, ns / 1e3 / iterations);
        calls.allreduce(Collectives.IN_PLACE, sum, ElementType.DOUBLE, PredefinedReduction.SUM);
        return sum.get(ValueLayout.JAVA_DOUBLE, 0) / world.size();
    }
}
