package io.verbena.rnic.context;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.RnicOptions;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Attempts of peers to access memory without permission: a wrong key, a missing right, an address out of bounds, a key
 * that may not be invalidated. Limiting them protects against guessed keys. Each violation ends its connection and is
 * counted, for the {@link PeerNetwork} of the peer and for all networks together. Counts decay at a constant rate. If a
 * million keys exist, the 1,000 guesses that the default limit allows at once find one of them with probability 1 in 5.
 *
 * <pre>
 *   a network at its limit                      its connections are refused until one violation has decayed
 *   all networks at ten times that limit        any network with a violation that has not decayed is refused
 * </pre>
 * <p>The table is bounded. When it is full, the network with the lowest count is evicted, and the new network inherits
 * that count. Other networks therefore cannot lower the count of a network, however many they are.
 */
public final class Violations {

    /** The option of {@link RnicOptions#settings} for the limit of one network; 0 for no limit. */
    static final String LIMIT = "violation-limit";

    /**
     * The option for the limit of all networks together; 0 for no limit. The default is ten times the limit of one
     * network.
     */
    static final String LIMIT_OF_ALL = "violation-limit-all";

    /** The option for the number of seconds in which a count at its limit decays to zero. */
    static final String DECAY_SECONDS = "violation-decay-seconds";

    static final int MAX_NETWORKS = 4096;

    private static final int USUAL_LIMIT = 1000;
    private static final int ALL_TO_ONE = 10;
    private static final int USUAL_DECAY_SECONDS = 24 * 60 * 60;
    private static final int LONGEST_DECAY_SECONDS = 365 * 24 * 60 * 60;
    private static final long SECOND_NS = 1_000_000_000L;

    /** Interval of reports about the refusal of one network. */
    private static final long REPORT_EVERY_NS = 3600 * SECOND_NS;

    private final int limit;
    private final int limitOfAll;
    private final int decaySeconds;
    private final Consumer<String> report;
    private final Map<PeerNetwork, Count> counts = new HashMap<>();
    private final Count all;
    private long total;

    /** A count that decays linearly, from its limit to zero within the decay time. */
    private static final class Count {
        final double decayPerNs;
        double value;
        long atNs;
        boolean reported;
        long reportedNs;

        Count(int limit, int decaySeconds, long nowNs) {
            decayPerNs = (double) limit / ((double) decaySeconds * SECOND_NS);
            atNs = nowNs;
        }

        double at(long nowNs) {
            return Math.max(0, value - (nowNs - atNs) * decayPerNs);
        }

        void add(double more, long nowNs) {
            value = at(nowNs) + more;
            atNs = nowNs;
        }

        /** Whether the violations reach a limit. The most recent one counts until it has decayed completely. */
        boolean reaches(int limit, long nowNs) {
            return limit > 0 && at(nowNs) > limit - 1;
        }

        /** Whether a report is due; if so, it counts as reported now. */
        boolean reportDue(long nowNs) {
            if (reported && nowNs - reportedNs < REPORT_EVERY_NS) {
                return false;
            }
            reported = true;
            reportedNs = nowNs;
            return true;
        }
    }

    /**
     * Creates an empty table.
     *
     * @param report receives a sentence when a network begins to be refused; at most once an hour per network
     */
    Violations(RnicOptions options, long nowNs, Consumer<String> report) {
        limit = number(options, LIMIT, USUAL_LIMIT, 0, Integer.MAX_VALUE);
        limitOfAll = number(
                options,
                LIMIT_OF_ALL,
                (int) Math.min((long) limit * ALL_TO_ONE, Integer.MAX_VALUE),
                0,
                Integer.MAX_VALUE);
        decaySeconds = number(options, DECAY_SECONDS, USUAL_DECAY_SECONDS, 1, LONGEST_DECAY_SECONDS);
        this.report = report;
        all = new Count(Math.max(1, limitOfAll), decaySeconds, nowNs);
    }

    private static int number(RnicOptions options, String name, int defaultValue, int min, int max) {
        String setting = options.settings().get(name);
        if (setting == null) {
            return defaultValue;
        }
        try {
            int value = Integer.parseInt(setting);
            Limits.range("the setting '" + name + "'", value, min, max);
            return value;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the setting '" + name + "' must be a number, not '" + setting + "'", e);
        }
    }

    /** Counts a connection that ended for this reason, if the reason is a violation. Any thread. */
    public void ended(AsyncEventType reason, SocketAddress peer, long nowNs) {
        if (reason == AsyncEventType.QP_ACCESS_ERROR) {
            count(PeerNetwork.of(peer), nowNs).ifPresent(report);
        }
    }

    /** Counts one violation; returns a sentence if it is to be reported. */
    private synchronized Optional<String> count(PeerNetwork network, long nowNs) {
        total++;
        all.add(1, nowNs);
        Count count = counts.get(network);
        if (count == null) {
            count = new Count(Math.max(1, limit), decaySeconds, nowNs);
            count.add(counts.size() < MAX_NETWORKS ? 0 : evictLowest(nowNs), nowNs);
            counts.put(network, count);
        }
        count.add(1, nowNs);
        if (count.reaches(limit, nowNs)) {
            return count.reportDue(nowNs)
                    ? Optional.of("Connections from " + network + " are refused: " + cause(limit) + ".")
                    : Optional.empty();
        }
        return all.reaches(limitOfAll, nowNs) && all.reportDue(nowNs)
                ? Optional.of("Connections from all addresses with protection violations are refused: peers caused "
                        + limitOfAll + " violations in total within " + decaySeconds
                        + " s, which may indicate key guessing from many addresses.")
                : Optional.empty();
    }

    /** Removes the lowest count and returns it. */
    private double evictLowest(long nowNs) {
        Map.Entry<PeerNetwork, Count> lowest = null;
        for (Map.Entry<PeerNetwork, Count> each : counts.entrySet()) {
            if (lowest == null || each.getValue().at(nowNs) < lowest.getValue().at(nowNs)) {
                lowest = each;
            }
        }
        if (lowest == null) {
            return 0;
        }
        counts.remove(lowest.getKey());
        return lowest.getValue().at(nowNs);
    }

    /** The reason why a peer is refused now; empty if it is not. Any thread. */
    public synchronized Optional<String> refusal(PeerNetwork network, long nowNs) {
        Count count = counts.get(network);
        if (count == null) {
            return Optional.empty();
        }
        int allowed = all.reaches(limitOfAll, nowNs) ? 1 : limit;
        return count.reaches(allowed, nowNs)
                ? Optional.of("connections from " + network + " are temporarily refused: " + cause(allowed))
                : Optional.empty();
    }

    private String cause(int allowed) {
        return "its protection violations (wrong keys, rights or bounds) reached the limit of " + allowed
                + "; one violation decays every " + Math.max(1, decaySeconds / Math.max(1, limit)) + " s";
    }

    /** Number of violations of all peers, decayed or not. Any thread. */
    public synchronized long total() {
        return total;
    }

    /** Number of networks in the table. */
    synchronized int networks() {
        return counts.size();
    }
}
