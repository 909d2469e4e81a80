package io.verbena.sockets.nio;

import java.util.Map;
import java.util.TreeMap;

/**
 * Why TCP has carried connections, each reason with the number of them. Reasons are few; should they be many,
 * the rest is counted as one.
 */
final class TcpReasons {

    private static final int MOST = 64;
    private static final String OTHERS = "other reasons";

    private final Map<String, Long> counts;

    TcpReasons() {
        this(Map.of());
    }

    private TcpReasons(Map<String, Long> counts) {
        this.counts = new TreeMap<>(counts);
    }

    /** Counts a connection; one by RDMA has no reason. */
    synchronized void add(String why) {
        if (!why.isEmpty()) {
            counts.merge(counts.size() < MOST || counts.containsKey(why) ? why : OTHERS, 1L, Long::sum);
        }
    }

    synchronized TcpReasons copy() {
        return new TcpReasons(counts);
    }

    synchronized Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }
}
