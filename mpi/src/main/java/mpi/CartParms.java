package mpi;

/** Describes a grid and the place of this rank in it. */
public final class CartParms {

    private final int[] dims;
    private final boolean[] periods;
    private final int[] coords;

    CartParms(int[] dims, boolean[] periods, int[] coords) {
        this.dims = dims;
        this.periods = periods;
        this.coords = coords;
    }

    /** Number of dimensions. */
    public int getDimCount() {
        return dims.length;
    }

    /** Length of a dimension. */
    public int getDim(int i) {
        return dims[i];
    }

    /** Returns whether a dimension is a ring. */
    public boolean getPeriod(int i) {
        return periods[i];
    }

    /** Coordinate of this rank in a dimension. */
    public int getCoord(int i) {
        return coords[i];
    }
}
