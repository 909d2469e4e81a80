package io.verbena.examples.mpi;

import mpi.CartComm;
import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.ShiftParms;

/** Heat spreads on a torus: a grid of ranks, each of which exchanges the edges of its part with its four neighbours. */
public final class HeatEquation {

    private static final int CELLS = 96;
    private static final int STEPS = 100;
    private static final double HEAT = 1_000_000;

    private HeatEquation() {}

    public static void main(String... args) throws MPIException {
        MPI.Init(args);
        int[] dims = new int[2];
        CartComm.createDims(MPI.COMM_WORLD.getSize(), dims);
        CartComm grid = MPI.COMM_WORLD.createCart(dims, new boolean[] {true, true}, false);
        int[] at = grid.getCoords(grid.getRank());
        int rows = CELLS * (at[0] + 1) / dims[0] - CELLS * at[0] / dims[0];
        int columns = CELLS * (at[1] + 1) / dims[1] - CELLS * at[1] / dims[1];
        int width = columns + 2;
        double[] cells = new double[(rows + 2) * width];
        if (grid.getRank() == 0) {
            cells[width + 1] = HEAT;
        }
        // A column is every width-th number; it is sent as it lies there.
        Datatype column = Datatype.createVector(rows, 1, width, MPI.DOUBLE);
        column.commit();
        ShiftParms vertical = grid.shift(0, 1);
        ShiftParms horizontal = grid.shift(1, 1);
        for (int step = 0; step < STEPS; step++) {
            exchange(grid, vertical, cells, MPI.DOUBLE, columns, new int[] {rows * width + 1, width + 1}, width);
            exchange(grid, horizontal, cells, column, 1, new int[] {width + columns, width + 1}, 1);
            cells = next(cells, rows, columns);
        }
        double[] sumAndMax = {0, 0};
        for (int i = 0; i < rows * columns; i++) {
            double cell = cells[(i / columns + 1) * width + i % columns + 1];
            sumAndMax[0] += cell;
            sumAndMax[1] = Math.max(sumAndMax[1], cell);
        }
        double[] sum = {sumAndMax[0]};
        double[] max = {sumAndMax[1]};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.DOUBLE, MPI.SUM);
        MPI.COMM_WORLD.allReduce(max, 1, MPI.DOUBLE, MPI.MAX);
        if (Math.abs(sum[0] - HEAT) > 1e-3) {
            throw new IllegalStateException("heat was lost: " + sum[0]);
        }
        if (grid.getRank() == 0) {
            System.out.println("after " + STEPS + " steps the hottest cell has " + max[0]);
        }
        MPI.Finalize();
    }

    /** Sends the last and the first row or column; receives those of the neighbours beside them. */
    private static void exchange(
            CartComm grid, ShiftParms way, double[] cells, Datatype type, int count, int[] from, int step)
            throws MPIException {
        int before = way.getRankSource();
        int after = way.getRankDest();
        grid.sendRecv(
                MPI.slice(cells, from[0]),
                count,
                type,
                after,
                0,
                MPI.slice(cells, from[1] - step),
                count,
                type,
                before,
                0);
        grid.sendRecv(
                MPI.slice(cells, from[1]),
                count,
                type,
                before,
                1,
                MPI.slice(cells, from[0] + step),
                count,
                type,
                after,
                1);
    }

    private static double[] next(double[] cells, int rows, int columns) {
        int width = columns + 2;
        double[] next = new double[cells.length];
        for (int row = 1; row <= rows; row++) {
            for (int i = row * width + 1; i <= row * width + columns; i++) {
                double around = cells[i - width] + cells[i + width] + (cells[i - 1] + cells[i + 1]);
                next[i] = cells[i] + 0.2 * (around - 4 * cells[i]);
            }
        }
        return next;
    }
}
