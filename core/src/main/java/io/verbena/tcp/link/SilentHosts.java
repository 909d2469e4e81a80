package io.verbena.tcp.link;

import io.verbena.tcp.flow.IpAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Hosts of an Ethernet link that do not answer requests for their hardware address. A few lost answers say nothing about a host: each packet that
 * is repeated asks again, and only a host that was silent for as long as TCP waits for the answer to a SYN is absent.
 */
public final class SilentHosts {

    /** How long a host may be silent: less than the 180 s that a SYN is repeated for, so that the sentence names the cause. */
    static final long PATIENCE_NS = 120_000_000_000L;

    /** Longer than the longest pause between two SYNs: a host that was not reported for this time has answered, or was not asked. */
    static final long MOST_PAUSE_NS = 90_000_000_000L;

    private static final int MOST = Neighbors.MOST;

    private record Silence(long firstNs, long lastNs) {}

    private final Map<IpAddress, Silence> silences = new HashMap<>();

    /** A host has not answered a series of requests; returns whether it is to be taken for absent. */
    public boolean absent(IpAddress host, long nowNs) {
        if (silences.size() >= MOST) {
            silences.values().removeIf(it -> nowNs - it.lastNs() > MOST_PAUSE_NS);
        }
        Silence before = silences.getOrDefault(host, new Silence(nowNs, nowNs));
        boolean again = nowNs - before.lastNs() <= MOST_PAUSE_NS;
        long firstNs = again ? before.firstNs() : nowNs;
        if (nowNs - firstNs >= PATIENCE_NS) {
            silences.remove(host);
            return true;
        }
        if (silences.containsKey(host) || silences.size() < MOST) {
            silences.put(host, new Silence(firstNs, nowNs));
        }
        return false;
    }
}
