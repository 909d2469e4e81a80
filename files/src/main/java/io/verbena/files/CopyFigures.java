package io.verbena.files;

/**
 * The figures of a copy.
 *
 * @param bytes length of the file
 * @param parts the parts of the file
 * @param chunksAgain chunks moved again because their checksum was wrong
 * @param reconnects connections that broke and were established again
 * @param verified whether every chunk's checksum was compared
 * @param durationNs time from the creation of the copier to the finished file
 */
public record CopyFigures(
        long bytes, Parts parts, long chunksAgain, long reconnects, boolean verified, long durationNs) {

    /**
     * The parts of a file, by how they came to be.
     *
     * @param movedBytes bytes moved by RDMA
     * @param zeroBytes bytes that were zero and were not moved
     * @param keptBytes bytes that were already there
     */
    public record Parts(long movedBytes, long zeroBytes, long keptBytes) {}

    static CopyFigures of(long bytes, Tally tally, boolean verified, long durationNs) {
        return new CopyFigures(
                bytes,
                new Parts(tally.movedBytes.sum(), tally.zeroBytes.sum(), tally.keptBytes.sum()),
                tally.again.sum(),
                tally.reconnects.sum(),
                verified,
                durationNs);
    }
}
