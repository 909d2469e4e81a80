package io.verbena.rnic;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.RnicOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Attempts of peers to reach memory that they may not, counted an address: a wrong key, a wrong right, beside the bounds, a
 * key that may not be invalidated. Whoever has made too many is not listened to any more (against guessing keys: with one
 * guess a connection and a limit of 1000, one key among a million is hit with probability 1 in 4).
 *
 * <p>Remembers a bounded number of addresses, those that were seen last.
 */
final class Violations {

    /** The option of {@link RnicOptions#settings} that sets the limit; 0 for none. */
    static final String SETTING = "violation-limit";

    private static final int USUAL_LIMIT = 1000;
    private static final int MOST_PEERS = 4096;

    private final int limit;

    private final Map<String, Integer> counts = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST_PEERS;
        }
    };

    private long total;

    Violations(RnicOptions options) {
        String wanted = options.settings().getOrDefault(SETTING, String.valueOf(USUAL_LIMIT));
        try {
            limit = Integer.parseInt(wanted);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the setting " + SETTING + " is a number, not '" + wanted + "'", e);
        }
    }

    /** A connection ended for this reason. */
    synchronized void ended(AsyncEventType reason, SocketAddress peer) {
        if (reason == AsyncEventType.QP_ACCESS_ERROR) {
            total++;
            counts.merge(nameOf(peer), 1, Integer::sum);
        }
    }

    /** Whether this peer has made too many. */
    synchronized boolean refuses(SocketAddress peer) {
        return limit > 0 && counts.getOrDefault(nameOf(peer), 0) >= limit;
    }

    /** Of all peers. */
    synchronized long total() {
        return total;
    }

    /** The host, whatever the port: a port is easily changed. */
    private static String nameOf(SocketAddress peer) {
        return peer instanceof InetSocketAddress address
                ? address.getAddress() != null ? address.getAddress().getHostAddress() : address.getHostString()
                : peer.toString();
    }
}
