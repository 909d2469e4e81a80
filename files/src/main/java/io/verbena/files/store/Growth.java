package io.verbena.files.store;

/**
 * Limits the number of bytes by which clients extend a file. A short store truncates the file, and the next OPEN for a long
 * store makes the server write zeros again. A file may grow by a few times its capacity at once, and after that only slowly.
 * Pure: time is an argument.
 */
public final class Growth {

    private static final int CAPACITIES_AT_ONCE = 4;
    private static final long LEAST_BYTES_PER_SECOND = 8 << 20;
    private static final long SECONDS_PER_CAPACITY = 600;
    private static final long NS_PER_SECOND = 1_000_000_000L;

    private final double most;
    private final double bytesPerSecond;
    private double left;
    private long filledNs;

    public Growth(long capacity, long nowNs) {
        most = (double) capacity * CAPACITIES_AT_ONCE;
        bytesPerSecond = Math.max(LEAST_BYTES_PER_SECOND, capacity / SECONDS_PER_CAPACITY);
        left = most;
        filledNs = nowNs;
    }

    /** Returns the seconds until this number of bytes may be added. If the result is 0 they count as added. */
    public long take(long bytes, long nowNs) {
        left = Math.min(most, left + (double) (nowNs - filledNs) / NS_PER_SECOND * bytesPerSecond);
        filledNs = nowNs;
        if (bytes <= left) {
            left -= bytes;
            return 0;
        }
        return (long) Math.ceil((bytes - left) / bytesPerSecond);
    }
}
