package io.verbena.messaging.collective;

/**
 * One collective operation as a rank calls it.
 *
 * @param kind the operation
 * @param root the root, 0 without one
 * @param inPlace whether this rank's contribution is in the buffer of the result (MPI_IN_PLACE)
 * @param volume what is transferred
 * @param combining how elements are combined
 */
public record Call(CollectiveKind kind, int root, boolean inPlace, Volume volume, Combining combining) {

    /**
     * What is transferred.
     *
     * @param bytes length of the vector; of the block of each rank in gather, scatter, allgather and alltoall
     * @param sent the parts of the buffer that is sent from, if the operation has parts of different lengths
     * @param received the parts of the buffer that is received into
     */
    public record Volume(long bytes, Blocks sent, Blocks received) {

        public static Volume of(long bytes) {
            return new Volume(bytes, Blocks.NONE, Blocks.NONE);
        }
    }

    /** A barrier. */
    public static final Call BARRIER = new Call(CollectiveKind.BARRIER, 0, false, Volume.of(0), Combining.NONE);

    /** Bits of a signature. */
    public static final int SIGNATURE_BITS = 17;

    private static final int KIND_BITS = 4;
    private static final int HASH_BITS = SIGNATURE_BITS - KIND_BITS;

    /**
     * A hash of what all ranks must agree on: the operation and its root, length, type and reduction. Its low bits are the operation. Each
     * message carries it, so that ranks that call different operations are detected.
     */
    public int signature() {
        return signature(
                root,
                commonBytes(),
                combining.type().ordinal(),
                combining.reduction().title());
    }

    /** The length that all ranks must agree on. */
    private long commonBytes() {
        return kind == CollectiveKind.GATHERV || kind == CollectiveKind.SCATTERV ? 0 : volume.bytes;
    }

    private int signature(int ofRoot, long bytes, int type, String reduction) {
        long hash = bytes * 0x9E37_79B9_7F4A_7C15L + ofRoot * 0xC2B2_AE3D_27D4_EB4FL;
        hash ^= hash >>> 29;
        hash = (hash + type * 0x1656_67B1_9E37_79F9L) * 0xBF58_476D_1CE4_E5B9L;
        hash ^= hash >>> 32;
        hash = (hash + reduction.hashCode()) * 0x94D0_49BB_1331_11EBL;
        return (int) (hash >>> 64 - HASH_BITS) << KIND_BITS | kind.ordinal();
    }

    /** Describes how the call of another rank differs, as far as its signature shows. */
    public String difference(int otherSignature, int size) {
        CollectiveKind other = CollectiveKind.of(otherSignature & (1 << KIND_BITS) - 1);
        if (other != kind) {
            return "called " + other.title();
        }
        for (int i = 0; kind.rooted() && i < size; i++) {
            if (otherSignature == signature(i, commonBytes(), combining.type().ordinal(), reductionTitle())) {
                return "called it with the root " + i;
            }
        }
        for (PredefinedReduction reduction : PredefinedReduction.values()) {
            if (otherSignature
                    == signature(root, commonBytes(), combining.type().ordinal(), reduction.title())) {
                return "called it with the operation " + reduction.title();
            }
        }
        return "called it with another length, type or operation";
    }

    private String reductionTitle() {
        return combining.reduction().title();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(kind.title());
        if (kind.rooted()) {
            text.append(" with the root ").append(root);
        }
        if (commonBytes() > 0) {
            text.append(kind.rooted() ? " and " : " of ").append(volume.bytes).append(" bytes");
        }
        if (combining != Combining.NONE) {
            text.append(", ").append(reductionTitle()).append(" of ").append(combining.type());
        }
        return text.toString();
    }
}
