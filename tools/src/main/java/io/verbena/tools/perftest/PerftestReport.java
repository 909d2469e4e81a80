package io.verbena.tools.perftest;

/**
 * The result of a bandwidth test, in the units in which the programs exchange it.
 *
 * @param bytes length of a message
 * @param iterations number of messages
 * @param peakMebibytes highest bandwidth, in MiB/s; 0 if it was not measured
 * @param averageMebibytes average bandwidth, in MiB/s
 * @param millionMessages messages per second, in millions
 */
record PerftestReport(
        long bytes, long iterations, double peakMebibytes, double averageMebibytes, double millionMessages) {

    private static final double MEBIBYTE = 1 << 20;

    /** The result of a number of messages in this time. */
    static PerftestReport of(long bytes, long iterations, long durationNs) {
        double perSecond = iterations * 1e9 / Math.max(1, durationNs);
        double average = perSecond * bytes / MEBIBYTE;
        return new PerftestReport(bytes, iterations, average, average, perSecond / 1e6);
    }

    double bytesPerSecond() {
        return averageMebibytes * MEBIBYTE;
    }
}
