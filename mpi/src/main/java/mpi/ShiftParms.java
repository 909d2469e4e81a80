package mpi;

/** The neighbors of a rank in a dimension of a grid; PROC_NULL where there is none. */
public final class ShiftParms {

    private final int rankSource;
    private final int rankDest;

    ShiftParms(int rankSource, int rankDest) {
        this.rankSource = rankSource;
        this.rankDest = rankDest;
    }

    public int getRankSource() {
        return rankSource;
    }

    public int getRankDest() {
        return rankDest;
    }
}
