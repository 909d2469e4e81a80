package io.verbena.sockets.proxy;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Counts connections against the {@link ProxyLimits}. For one thread. */
final class Admission {

    private final ProxyLimits limits;
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private int all;

    Admission(ProxyLimits limits) {
        this.limits = limits;
    }

    /** Counts a connection; false if it is one too many and must be refused. */
    boolean enter(InetAddress client) {
        int before = perAddress.getOrDefault(client, 0);
        if (all >= limits.connections() || before >= limits.perAddress()) {
            return false;
        }
        perAddress.put(client, before + 1);
        all++;
        return true;
    }

    /** A connection that had entered has ended. */
    void leave(InetAddress client) {
        perAddress.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
        all--;
    }
}
