package io.verbena.messaging.collective;

/**
 * Which algorithm is used from which length on. All ranks of a job must use the same table.
 *
 * @param broadcastRingBytes broadcasts of this length and more scatter the vector and collect it in a ring
 * @param rabenseifnerBytes allreduces of this length and more halve the vector recursively
 * @param ringBytes allreduces of this length and more go around a ring
 * @param pieceBytes broadcasts in a tree send the vector in pieces of this length, so that a rank receives one piece
 *     while it passes on another: a multiple of 64, or {@link #WHOLE}
 * @param treeBlockBytes gathers and scatters of blocks up to this length use a tree
 * @param bruckAllgatherBytes allgathers of blocks up to this length take a logarithmic number of steps
 * @param bruckAlltoallBytes alltoalls of blocks up to this length take a logarithmic number of steps
 */
public record AlgorithmTable(
        long broadcastRingBytes,
        long rabenseifnerBytes,
        long ringBytes,
        long pieceBytes,
        long treeBlockBytes,
        long bruckAllgatherBytes,
        long bruckAlltoallBytes) {

    /** The length of pieces that is longer than every vector. */
    public static final long WHOLE = 1L << 60;

    /**
     * Checks the length of pieces.
     *
     * @throws IllegalArgumentException if it is not a multiple of 64 up to {@link #WHOLE}
     */
    public AlgorithmTable {
        if (pieceBytes < ScheduleBuilder.ALIGNMENT
                || pieceBytes > WHOLE
                || pieceBytes % ScheduleBuilder.ALIGNMENT != 0) {
            throw new IllegalArgumentException("pieces must have a multiple of " + ScheduleBuilder.ALIGNMENT
                    + " bytes, at most " + WHOLE + ", not " + pieceBytes);
        }
    }

    /** The table of Verbena. */
    public static final AlgorithmTable DEFAULT =
            new AlgorithmTable(64 << 10, 16 << 10, 1 << 20, 128 << 10, 4 << 10, 4 << 10, 256);

    /** With pieces of this length. */
    public AlgorithmTable withPieceBytes(long value) {
        return new AlgorithmTable(
                broadcastRingBytes,
                rabenseifnerBytes,
                ringBytes,
                value,
                treeBlockBytes,
                bruckAllgatherBytes,
                bruckAlltoallBytes);
    }

    /** A ring needs this many ranks to be better than a tree. */
    private static final int MIN_RING = 4;

    Algorithm choose(Call call, int size) {
        long bytes = call.volume().bytes();
        return switch (call.kind()) {
            case BARRIER -> Algorithm.DISSEMINATION;
            case BCAST -> bytes >= broadcastRingBytes && size >= MIN_RING ? Algorithm.SCATTER_RING : Algorithm.BINOMIAL;
            case REDUCE -> Algorithm.BINOMIAL;
            case ALLREDUCE -> allreduce(call, bytes, size);
            case REDUCE_SCATTER ->
                call.combining().reduction().commutative() ? Algorithm.RING : Algorithm.REDUCE_AND_SCATTER;
            case GATHER, SCATTER -> bytes <= treeBlockBytes ? Algorithm.BINOMIAL : Algorithm.LINEAR;
            case GATHERV, SCATTERV, SCAN, EXSCAN -> Algorithm.LINEAR;
            case ALLGATHER -> bytes <= bruckAllgatherBytes ? Algorithm.BRUCK : Algorithm.RING;
            case ALLGATHERV -> Algorithm.RING;
            case ALLTOALL -> bytes <= bruckAlltoallBytes ? Algorithm.BRUCK : Algorithm.PAIRWISE;
            case ALLTOALLV -> Algorithm.PAIRWISE;
        };
    }

    private Algorithm allreduce(Call call, long bytes, int size) {
        if (!call.combining().reduction().commutative() || bytes < rabenseifnerBytes) {
            return Algorithm.RECURSIVE_DOUBLING;
        }
        return bytes >= ringBytes && size >= MIN_RING ? Algorithm.RING : Algorithm.RABENSEIFNER;
    }
}
