package mpi;

import io.verbena.messaging.Communicator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Ranks in a grid. The last dimension varies fastest. */
public final class CartComm extends Intracomm {

    private final int[] dims;
    private final boolean[] periods;

    CartComm(@Nullable Communicator ranks, int[] dims, boolean[] periods) {
        super(ranks);
        this.dims = dims.clone();
        this.periods = periods.clone();
    }

    @Override
    public CartComm clone() {
        return (CartComm) super.clone();
    }

    @Override
    public int getTopology() throws MPIException {
        return MPI.CART;
    }

    @Override
    public CartComm dup() throws MPIException {
        CartComm copy = new CartComm(super.dup().communicator(), dims, periods);
        copy.with(this);
        return copy;
    }

    /** Chooses the dimensions that are 0 so that the grid is as square as possible. */
    public static void createDims(int nnodes, int[] dims) throws MPIException {
        int given = Arrays.stream(dims).filter(length -> length > 0).reduce(1, (a, b) -> a * b);
        if (nnodes % given != 0) {
            throw new MPIException(MPI.ERR_DIMS, nnodes + " ranks cannot be divided by " + given);
        }
        int open = (int) Arrays.stream(dims).filter(length -> length == 0).count();
        int[] chosen = new int[open];
        Arrays.fill(chosen, 1);
        int left = nnodes / given;
        for (int factor = largestPrime(left); left > 1; factor = largestPrime(left)) {
            Arrays.sort(chosen);
            chosen[0] *= factor;
            left /= factor;
        }
        Arrays.sort(chosen);
        int next = open;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] == 0) {
                dims[i] = chosen[--next];
            }
        }
    }

    private static int largestPrime(int number) {
        int left = number;
        int largest = 1;
        for (int factor = 2; left > 1; factor++) {
            while (left % factor == 0) {
                largest = factor;
                left /= factor;
            }
        }
        return largest;
    }

    /** Describes the grid. */
    public CartParms getTopo() throws MPIException {
        return new CartParms(dims, periods, getCoords(getRank()));
    }

    /** Number of dimensions. */
    public int getDim() {
        return dims.length;
    }

    /** The rank at coordinates. */
    public int getRank(int[] coords) throws MPIException {
        int rank = 0;
        for (int i = 0; i < dims.length; i++) {
            int at = periods[i] ? Math.floorMod(coords[i], dims[i]) : coords[i];
            if (at < 0 || at >= dims[i]) {
                throw new MPIException(
                        MPI.ERR_ARG, "coordinate " + at + " is not in dimension " + i + " of length " + dims[i]);
            }
            rank = rank * dims[i] + at;
        }
        return rank;
    }

    /** The coordinates of a rank. */
    public int[] getCoords(int rank) throws MPIException {
        if (rank < 0 || rank >= getSize()) {
            throw new MPIException(MPI.ERR_RANK, "ranks are 0 to " + (getSize() - 1) + ", not " + rank);
        }
        int[] coords = new int[dims.length];
        int left = rank;
        for (int i = dims.length - 1; i >= 0; i--) {
            coords[i] = left % dims[i];
            left /= dims[i];
        }
        return coords;
    }

    /** The ranks that this one receives from and sends to when all data move by a distance. */
    public ShiftParms shift(int direction, int disp) throws MPIException {
        return new ShiftParms(neighbor(direction, -disp), neighbor(direction, disp));
    }

    private int neighbor(int direction, int disp) throws MPIException {
        if (direction < 0 || direction >= dims.length) {
            throw new MPIException(MPI.ERR_DIMS, "there is no dimension " + direction);
        }
        int[] coords = getCoords(getRank());
        coords[direction] += disp;
        boolean outside = coords[direction] < 0 || coords[direction] >= dims[direction];
        return outside && !periods[direction] ? MPI.PROC_NULL : getRank(coords);
    }

    /** The grids of the dimensions that remain. */
    public CartComm sub(boolean[] remainDims) throws MPIException {
        int[] coords = getCoords(getRank());
        int color = 0;
        int key = 0;
        int remaining = 0;
        for (int i = 0; i < dims.length; i++) {
            if (remainDims[i]) {
                key = key * dims[i] + coords[i];
                remaining++;
            } else {
                color = color * dims[i] + coords[i];
            }
        }
        int[] left = new int[remaining];
        boolean[] rings = new boolean[remaining];
        int used = 0;
        for (int i = 0; i < dims.length; i++) {
            if (remainDims[i]) {
                left[used] = dims[i];
                rings[used++] = periods[i];
            }
        }
        return new CartComm(split(color, key).communicator(), left, rings);
    }
}
