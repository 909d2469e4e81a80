package io.verbena.examples.mpi;

import java.util.Arrays;
import java.util.SplittableRandom;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Sorts numbers that are spread over the ranks: samples divide them into ranges, and each rank gets one range. */
public final class SampleSort {

    private static final int OWN = 50_000;
    private static final int SAMPLES = 64;

    private SampleSort() {}

    public static void main(String... args) throws MPIException {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int size = world.getSize();
        int rank = world.getRank();
        long[] own = new SplittableRandom(rank).longs(OWN).sorted().toArray();
        long[] samples = new long[SAMPLES * size];
        for (int i = 0; i < SAMPLES; i++) {
            samples[rank * SAMPLES + i] = own[OWN / SAMPLES * i];
        }
        world.allGather(samples, SAMPLES, MPI.LONG);
        Arrays.sort(samples);

        int[] offsets = new int[size];
        int[] counts = new int[size];
        for (int i = 0; i < size; i++) {
            int end = i + 1 == size ? OWN : firstAtLeast(own, samples[(i + 1) * SAMPLES]);
            counts[i] = end - offsets[i];
            if (i + 1 < size) {
                offsets[i + 1] = end;
            }
        }
        int[] arrivals = new int[size];
        world.allToAll(counts, 1, MPI.INT, arrivals, 1, MPI.INT);
        int[] places = new int[size];
        for (int i = 1; i < size; i++) {
            places[i] = places[i - 1] + arrivals[i - 1];
        }
        long[] range = new long[places[size - 1] + arrivals[size - 1]];
        world.allToAllv(own, counts, offsets, MPI.LONG, range, arrivals, places, MPI.LONG);
        Arrays.sort(range);

        check(world, range);
        MPI.Finalize();
    }

    private static int firstAtLeast(long[] sorted, long value) {
        int found = Arrays.binarySearch(sorted, value);
        return found < 0 ? -found - 1 : found;
    }

    /** No number is lost, and none of a rank is less than one of the rank before. */
    private static void check(Intracomm world, long[] range) throws MPIException {
        int[] total = {range.length};
        world.allReduce(total, 1, MPI.INT, MPI.SUM);
        long[] greatest = {range.length == 0 ? Long.MIN_VALUE : range[range.length - 1]};
        long[] before = {Long.MIN_VALUE};
        world.exScan(greatest, before, 1, MPI.LONG, MPI.MAX);
        boolean sorted = world.getRank() == 0 || range.length == 0 || before[0] <= range[0];
        if (!sorted || total[0] != OWN * world.getSize()) {
            throw new IllegalStateException("the numbers are not sorted, or some of " + total[0] + " are missing");
        }
        if (world.getRank() == 0) {
            System.out.println(total[0] + " numbers are sorted");
        }
    }
}
