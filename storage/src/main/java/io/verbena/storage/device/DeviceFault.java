package io.verbena.storage.device;

/**
 * A fault that a {@link FaultyDevice} injects.
 *
 * @param kind what happens
 * @param firstBlock the first block that the fault concerns
 * @param blocks how many blocks
 * @param times how often the fault occurs
 */
public record DeviceFault(Kind kind, long firstBlock, long blocks, int times) {

    /** Kinds of faults. */
    public enum Kind {
        /** A read fails. */
        READ_ERROR,
        /** A write fails and changes nothing. */
        WRITE_ERROR,
        /** A write fails after the first half of its bytes. */
        TORN_WRITE,
        /** A write fails for lack of space. */
        NO_SPACE,
        /** A flush succeeds and does nothing. */
        LOST_FLUSH,
        /** A flush fails. */
        FLUSH_ERROR
    }

    boolean concerns(long block, long count) {
        return block < firstBlock + blocks && firstBlock < block + count;
    }
}
