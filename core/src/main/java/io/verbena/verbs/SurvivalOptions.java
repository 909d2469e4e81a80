package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * How a connection survives the end of its transport: see {@link ConnectionOptions#surviving}.
 *
 * @param addresses further addresses of the peer, which are tried in turn when the transport has failed, after the
 *     one that the
 *     connection was made to. Meaningful for the side that connects: it opens all connections
 * @param patience maximum time without a transport; after that the connection is lost
 * @param logged adapters: each request of this side is followed by a Write of 8 bytes, by which the peer learns how
 *     many it has executed. Without it, all Sends and atomics that are outstanding when the transport fails complete
 *     with {@link CompletionStatus#OUTCOME_UNKNOWN}. Software RNICs count without it
 */
public record SurvivalOptions(List<SocketAddress> addresses, Duration patience, boolean logged) {

    /** Default of {@link #patience()}. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Largest number of {@link #addresses()}. */
    public static final int MOST_ADDRESSES = 16;

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there are more than {@value #MOST_ADDRESSES} addresses, or the patience is
     *     not greater
     *     than zero
     */
    public SurvivalOptions {
        addresses = List.copyOf(addresses);
        if (addresses.size() > MOST_ADDRESSES) {
            throw new IllegalArgumentException(
                    "there can be at most " + MOST_ADDRESSES + " further addresses, not " + addresses.size());
        }
        if (patience.isNegative() || patience.isZero()) {
            throw new IllegalArgumentException("patience must be greater than zero, not " + patience);
        }
    }

    /** Without a log. */
    public SurvivalOptions(List<SocketAddress> addresses, Duration patience) {
        this(addresses, patience, false);
    }

    /** These further addresses, and a patience of one minute. */
    public static SurvivalOptions over(SocketAddress... addresses) {
        return new SurvivalOptions(List.of(addresses), PATIENCE);
    }

    /** With this maximum time without a transport. */
    public SurvivalOptions withPatience(Duration value) {
        return new SurvivalOptions(addresses, value, logged);
    }

    /** With a log of the requests of this side, if it is an adapter; see {@link #logged()}. */
    public SurvivalOptions withLog() {
        return new SurvivalOptions(addresses, patience, true);
    }
}
