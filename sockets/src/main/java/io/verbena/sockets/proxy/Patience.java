package io.verbena.sockets.proxy;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits the time to connect by what the target does. Time in which the proxy itself had no processor does not count. While an address
 * answers some connections, the others wait for their turn there, and their time begins again with each answer; but no connection waits longer
 * than {@link #MOST} times the limit.
 *
 * <p>Times of this class are nanoseconds that have counted since the start.
 */
final class Patience {

    /** The longest turn of the proxy that counts as a whole: a turn waits for less, so a longer one had no processor. */
    static final long TURN_NS = 100_000_000;

    static final int MOST = 10;

    private static final int MOST_ADDRESSES = 1_000;

    private final Map<InetSocketAddress, Long> answered = new HashMap<>();
    private long lastNs;
    private long countedNs;

    Patience(long nowNs) {
        lastNs = nowNs;
    }

    /** Counts the time since the last call. The proxy calls it in each turn. Returns the time that has counted. */
    long at(long nowNs) {
        countedNs += Math.min(nowNs - lastNs, TURN_NS);
        lastNs = nowNs;
        return countedNs;
    }

    /** The address has answered a connection. */
    void answered(InetSocketAddress address) {
        if (answered.size() >= MOST_ADDRESSES) {
            answered.clear(); // of a name whose addresses change
        }
        answered.put(address, countedNs);
    }

    /** Time left for a connection to this address that has begun at {@code beganNs}; 0 or less if there is none. */
    long leftNs(InetSocketAddress address, long beganNs, long limitNs) {
        long tookNs = countedNs - beganNs;
        long silentNs = Math.min(tookNs, countedNs - answered.getOrDefault(address, beganNs));
        return Math.min(limitNs - silentNs, MOST * limitNs - tookNs);
    }
}
