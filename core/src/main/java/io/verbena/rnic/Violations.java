package io.verbena.rnic;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.RnicOptions;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Attempts of peers to reach memory that they may not, against guessing keys: a wrong key, a wrong right, beside the bounds, a
 * key that may not be invalidated. Each costs its connection and is counted, for the {@link PeerNetwork} that it came from and
 * for all together. Counts decay at a steady rate. Where a million keys
 * are alive, the 1,000 guesses that the usual limit admits at once hit one of them with probability 1 in 5.
 *
 * <pre>
 *   a network at its limit                      its connections are refused until one violation has decayed
 *   all networks together at ten times that     any network with a violation that has not decayed is refused
 * </pre>
 *
 * The table is bounded. When it is full, the network with the lowest count makes place, and the new one begins with that count: no
 * number of other networks makes a count smaller than it is.
 */
public final class Violations {

    /** The option of {@link RnicOptions#settings} that sets a network's limit; 0 for none. */
    static final String LIMIT = "violation-limit";

    /** The option for all networks together; 0 for none. Ten times the other limit if it is not given. */
    static final String LIMIT_OF_ALL = "violation-limit-all";

    /** The option that says in how many seconds a count at its limit decays to zero. */
    static final String DECAY_SECONDS = "violation-decay-seconds";

    static final int MOST_NETWORKS = 4096;

    private static final int USUAL_LIMIT = 1000;
    private static final int ALL_TO_ONE = 10;
    private static final int USUAL_DECAY_SECONDS = 24 * 60 * 60;
    private static final int LONGEST_DECAY_SECONDS = 365 * 24 * 60 * 60;
    private static final long SECOND_NS = 1_000_000_000L;

    /** How often the refusal of one network is reported. */
    private static final long REPORT_EVERY_NS = 3600 * SECOND_NS;

    private final int limit;
    private final int limitOfAll;
    private final int decaySeconds;
    private final Consumer<String> report;
    private final Map<PeerNetwork, Count> counts = new HashMap<>();
    private final Count all;
    private long total;

    /** A count that decays: linearly, its limit within the time of decay. */
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

        /** Whether the violations that have not decayed, the last one counting until it has done so wholly, reach a limit. */
        boolean reaches(int limit, long nowNs) {
            return limit > 0 && at(nowNs) > limit - 1;
        }

        /** True when it has not been reported for a while; it is from now on. */
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
     * No violations yet.
     *
     * @param report is given the sentence when a network begins to be refused; at most once an hour for each
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

    private static int number(RnicOptions options, String name, int usual, int least, int most) {
        String wanted = options.settings().get(name);
        if (wanted == null) {
            return usual;
        }
        try {
            int value = Integer.parseInt(wanted);
            Limits.range("the setting '" + name + "'", value, least, most);
            return value;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the setting '" + name + "' is a number, not '" + wanted + "'", e);
        }
    }

    /** A connection ended for this reason. Any thread. */
    public void ended(AsyncEventType reason, SocketAddress peer, long nowNs) {
        if (reason == AsyncEventType.QP_ACCESS_ERROR) {
            count(PeerNetwork.of(peer), nowNs).ifPresent(report);
        }
    }

    /** Counts one; a sentence if it is to be reported. */
    private synchronized Optional<String> count(PeerNetwork network, long nowNs) {
        total++;
        all.add(1, nowNs);
        Count mine = counts.get(network);
        if (mine == null) {
            mine = new Count(Math.max(1, limit), decaySeconds, nowNs);
            mine.add(counts.size() < MOST_NETWORKS ? 0 : makePlace(nowNs), nowNs);
            counts.put(network, mine);
        }
        mine.add(1, nowNs);
        if (mine.reaches(limit, nowNs)) {
            return mine.reportDue(nowNs)
                    ? Optional.of("Connections from " + network + " are refused: " + cause(limit) + ".")
                    : Optional.empty();
        }
        return all.reaches(limitOfAll, nowNs) && all.reportDue(nowNs)
                ? Optional.of("Connections from every address with a protection violation are refused: peers made "
                        + limitOfAll + " of them together, within " + decaySeconds
                        + " s. Guessing of keys from many addresses looks like this.")
                : Optional.empty();
    }

    /** Forgets the lowest count and returns it. */
    private double makePlace(long nowNs) {
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

    /** Why a peer is not listened to now; empty if it is. Any thread. */
    public synchronized Optional<String> refusal(PeerNetwork network, long nowNs) {
        Count mine = counts.get(network);
        if (mine == null) {
            return Optional.empty();
        }
        int allowed = all.reaches(limitOfAll, nowNs) ? 1 : limit;
        return mine.reaches(allowed, nowNs)
                ? Optional.of("connections from " + network + " are refused for a time: " + cause(allowed))
                : Optional.empty();
    }

    private String cause(int allowed) {
        return "its protection violations (wrong keys, rights or bounds) reached the limit of " + allowed
                + ", and one is forgiven every " + Math.max(1, decaySeconds / Math.max(1, limit)) + " s";
    }

    /** Of all peers, whether decayed or not. Any thread. */
    synchronized long total() {
        return total;
    }

    /** Networks that are remembered. */
    synchronized int networks() {
        return counts.size();
    }
}
