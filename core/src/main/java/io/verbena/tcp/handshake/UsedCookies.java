package io.verbena.tcp.handshake;

/**
 * The cookies that have begun a connection. A copy of the acknowledgment that arrives after the connection has ended does not begin
 * another one. The memory is bounded: a cookie may displace an older one, whose copies would then be accepted while it is valid.
 */
final class UsedCookies {

    private static final int MOST = 4096;

    private long[] used = {};

    /** Whether a cookie has been used, by its identity. */
    boolean has(long identity) {
        return used.length > 0 && used[at(identity)] == identity;
    }

    void add(long identity) {
        if (used.length == 0) {
            used = new long[MOST];
        }
        used[at(identity)] = identity;
    }

    /** The upper bits are not in the cookie. */
    private static int at(long identity) {
        return (int) (identity >>> 32) & MOST - 1;
    }
}
