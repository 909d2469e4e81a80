package io.verbena.messaging.protocol;

/** The binomial tree of a broadcast. Ranks are numbered relative to the root; the parent of a rank has the lowest set bit cleared. */
public final class BroadcastTree {

    private BroadcastTree() {}

    /** Number of a rank relative to the root. */
    public static int relative(int rank, int root, int size) {
        return Math.floorMod(rank - root, size);
    }

    /** Rank of a number relative to the root. */
    public static int absolute(int relative, int root, int size) {
        return (relative + root) % size;
    }

    /** Returns whether {@code rank} is on the path from the root to the rank before {@code self}. */
    public static boolean precedes(int rank, int self, int root, int size) {
        int wanted = relative(rank, root, size);
        int at = relative(self, root, size);
        while (at != 0) {
            at &= at - 1;
            if (at == wanted) {
                return true;
            }
        }
        return false;
    }
}
