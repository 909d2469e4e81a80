package io.verbena.hardware.abi;

import java.util.Map;

/** Error numbers of Linux that the libraries return, in words. */
public final class Errno {

    /** A function failed and left errno 0. */
    public static final int UNKNOWN = Integer.MAX_VALUE;

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOSYS = 38;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    private static final String NO_REASON = "the library states no reason";

    private static final Map<Integer, String> WORDS = Map.ofEntries(
            Map.entry(EPERM, "operation not permitted"),
            Map.entry(ENOENT, "no such object"),
            Map.entry(EINTR, "interrupted"),
            Map.entry(EAGAIN, "nothing there now"),
            Map.entry(ENOMEM, "out of memory, or over the limit of locked memory"),
            Map.entry(EACCES, "permission denied"),
            Map.entry(EFAULT, "the memory cannot be pinned"),
            Map.entry(EBUSY, "still in use"),
            Map.entry(ENODEV, "no such device"),
            Map.entry(EINVAL, "invalid argument"),
            Map.entry(ENOSYS, "the kernel does not have this function"),
            Map.entry(EOPNOTSUPP, "not supported by the adapter"),
            Map.entry(EADDRINUSE, "the address is in use"),
            Map.entry(EADDRNOTAVAIL, "no adapter has this address"),
            Map.entry(ENETUNREACH, "the network is unreachable"),
            Map.entry(ECONNRESET, "connection reset"),
            Map.entry(ETIMEDOUT, "timed out"),
            Map.entry(ECONNREFUSED, "connection refused"),
            Map.entry(EHOSTUNREACH, "no route to the host"));

    private Errno() {}

    /** The error in words, with its number. */
    public static String text(int errno) {
        if (errno == UNKNOWN) {
            return NO_REASON;
        }
        return WORDS.getOrDefault(errno, "failed") + " (errno " + errno + ")";
    }
}
