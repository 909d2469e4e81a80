package io.verbena.storage.subsystem;

/**
 * Commands that have ended.
 *
 * @param reads Reads that succeeded
 * @param writes Writes that succeeded
 * @param flushes Flushes
 * @param others all other commands that succeeded
 * @param failures commands that ended with an error
 * @param latencies from the arrival of the command until its response has left
 */
public record CommandCounts(
        Transfers reads, Transfers writes, long flushes, long others, long failures, LatencyCounts latencies) {

    /**
     * Commands that move data.
     *
     * @param commands how many
     * @param bytes how much
     */
    public record Transfers(long commands, long bytes) {
        Transfers plus(Transfers more) {
            return new Transfers(commands + more.commands, bytes + more.bytes);
        }

        Transfers since(Transfers earlier) {
            return new Transfers(commands - earlier.commands, bytes - earlier.bytes);
        }
    }

    /** What was counted since an earlier time. */
    public CommandCounts since(CommandCounts earlier) {
        return new CommandCounts(
                reads.since(earlier.reads),
                writes.since(earlier.writes),
                flushes - earlier.flushes,
                others - earlier.others,
                failures - earlier.failures,
                latencies.since(earlier.latencies));
    }

    /** All commands. */
    public long commands() {
        return reads.commands + writes.commands + flushes + others + failures;
    }
}
