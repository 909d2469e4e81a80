package io.verbena.tools.perf;

/**
 * One measurement. It ends after a number of messages or after a time, whichever is first.
 *
 * @param op what is measured
 * @param sizeBytes bytes of a message
 * @param messages how many in all
 * @param durationNs how long
 * @param depth messages outstanding on a queue pair, for bandwidth
 * @param batch messages posted with one ring of the doorbell, for bandwidth
 */
public record PerfRun(PerfOp op, int sizeBytes, long messages, long durationNs, int depth, int batch) {

    /** Longest run in nanoseconds, an hour. */
    public static final long MOST_NS = 3_600_000_000_000L;

    /** The same with any number of messages, for at most the given time. */
    public PerfRun warmUp(long warmUpNs) {
        return new PerfRun(op, sizeBytes, Long.MAX_VALUE, warmUpNs, depth, batch);
    }
}
