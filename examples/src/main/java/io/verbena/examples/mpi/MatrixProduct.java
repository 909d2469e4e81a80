package io.verbena.examples.mpi;

import java.util.Arrays;
import java.util.Random;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** C = A x B: each rank gets some rows of A and all of B, and computes the same rows of C. */
public final class MatrixProduct {

    private static final int N = 200;

    private MatrixProduct() {}

    public static void main(String... args) throws MPIException {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int size = world.getSize();
        int rank = world.getRank();
        int[] counts = new int[size];
        int[] offsets = new int[size];
        for (int i = 0; i < size; i++) {
            offsets[i] = N * i / size * N;
            counts[i] = N * (i + 1) / size * N - offsets[i];
        }
        double[] a = rank == 0 ? random(1) : new double[0];
        double[] b = rank == 0 ? random(2) : new double[N * N];
        double[] ownA = new double[counts[rank]];
        world.bcast(b, N * N, MPI.DOUBLE, 0);
        world.scatterv(a, counts, offsets, MPI.DOUBLE, ownA, ownA.length, MPI.DOUBLE, 0);
        double[] ownC = product(ownA, b);
        double[] c = new double[rank == 0 ? N * N : 0];
        world.gatherv(ownC, ownC.length, MPI.DOUBLE, c, counts, offsets, MPI.DOUBLE, 0);
        if (rank == 0) {
            // The same additions in the same order: the results are equal, not only similar.
            if (!Arrays.equals(c, product(a, b))) {
                throw new IllegalStateException("the product of " + size + " ranks is wrong");
            }
            System.out.println("a product of " + N + " x " + N + " matrices, checksum " + Arrays.hashCode(c));
        }
        MPI.Finalize();
    }

    private static double[] random(long seed) {
        return new Random(seed).doubles(N * N).toArray();
    }

    /** Some rows of A times B. */
    private static double[] product(double[] rows, double[] b) {
        double[] result = new double[rows.length];
        for (int row = 0; row < rows.length; row += N) {
            for (int k = 0; k < N; k++) {
                double factor = rows[row + k];
                for (int column = 0; column < N; column++) {
                    result[row + column] += factor * b[k * N + column];
                }
            }
        }
        return result;
    }
}
