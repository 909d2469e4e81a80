package io.verbena.iwarp.early;

/** Figures about what a stream received after holes. One writer, the engine; others may see values that are a little old. */
public final class HoleFigures {

    long holes;
    int mostHoles;
    long arrivedBytes;
    long takenBytes;
    long placedBytes;
    long guessedBytes;
    long withdrawnBytes;
    long refusedByBound;
    long scrapCopies;
    int mostTableBytes;
    int mostScrapBytes;
    int mostRecords;

    HoleFigures() {}

    /** Holes that were opened. */
    public long holes() {
        return holes;
    }

    /** Maximum number of holes at a time. */
    public int mostHoles() {
        return mostHoles;
    }

    /** Bytes of the stream that arrived after a hole for the first time, or again because they had been refused. */
    public long arrivedBytes() {
        return arrivedBytes;
    }

    /** Bytes of the stream that were taken after a hole. */
    public long takenBytes() {
        return takenBytes;
    }

    /** Payload bytes that were placed in their final buffer while a hole before them was open. */
    public long placedBytes() {
        return placedBytes;
    }

    /** Bytes of the stream that were taken as a guess, see {@code Guesses}; part of {@link #takenBytes}. */
    public long guessedBytes() {
        return guessedBytes;
    }

    /** Bytes of the stream that were taken as a guess and withdrawn. */
    public long withdrawnBytes() {
        return withdrawnBytes;
    }

    /** FPDUs and parts of FPDUs that were not taken because a table was full. */
    public long refusedByBound() {
        return refusedByBound;
    }

    /** Bytes that were copied into scraps, in addition to the copy of placement. */
    public long scrapCopies() {
        return scrapCopies;
    }

    /** Maximum memory for holes and records, in bytes. */
    public int mostTableBytes() {
        return mostTableBytes;
    }

    /** Maximum number of bytes in scraps. */
    public int mostScrapBytes() {
        return mostScrapBytes;
    }

    /** Maximum number of records at a time. */
    public int mostRecords() {
        return mostRecords;
    }
}
