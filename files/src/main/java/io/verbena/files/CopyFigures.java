package io.verbena.files;

/**
 * The figures of a copy.
 *
 * @param bytes length of the file
 * @param movedBytes bytes moved by RDMA
 * @param zeroBytes bytes that were zero and were not moved
 * @param keptBytes bytes that were already there
 * @param chunksAgain chunks moved again because their checksum was wrong
 * @param reconnects connections that broke and were established again
 * @param verified whether every chunk's checksum was compared
 * @param durationNs time from the creation of the copier to the finished file
 */
public record CopyFigures(
        long bytes,
        long movedBytes,
        long zeroBytes,
        long keptBytes,
        long chunksAgain,
        long reconnects,
        boolean verified,
        long durationNs) {

    static CopyFigures of(long bytes, Tally tally, boolean verified, long durationNs) {
        return new CopyFigures(
                bytes,
                tally.movedBytes.sum(),
                tally.zeroBytes.sum(),
                tally.keptBytes.sum(),
                tally.again.sum(),
                tally.reconnects.sum(),
                verified,
                durationNs);
    }
}
