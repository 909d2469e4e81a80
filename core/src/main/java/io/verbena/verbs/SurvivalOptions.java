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
 * @param exitPatience the same after the transport has ended as that of a process that was killed: at the side that
 *     accepts, by a reset or without a farewell; at the side that connects, while all addresses refuse connections.
 *     Through shared memory the end of a process is certain, and the connection is lost at once
 * @param standby maximum silence of the peer if it answers at another address meanwhile: then the connection continues
 *     there. The RNIC asks at an address of the list every 5 s, less often if there is no answer, and at once when the
 *     peer is silent. Meaningful for the side that connects. Zero: none is asked, and silence ends the transport after
 *     500 ms
 * @param logged adapters: each request of this side is followed by a Write of 8 bytes, by which the peer learns how
 *     many it has executed. Without it, all Sends and atomics that are outstanding when the transport fails complete
 *     with {@link CompletionStatus#OUTCOME_UNKNOWN}. Software RNICs count without it
 */
public record SurvivalOptions(
        List<SocketAddress> addresses, Duration patience, Duration exitPatience, Duration standby, boolean logged) {

    /** Default of {@link #patience()}. */
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Default of {@link #exitPatience()}. */
    public static final Duration EXIT_PATIENCE = Duration.ofSeconds(10);

    /** The value of {@link #standby()} of {@link #withStandby()}. */
    public static final Duration STANDBY = Duration.ofMillis(100);

    /** Largest number of {@link #addresses()}. */
    public static final int MOST_ADDRESSES = 16;

    private static final Duration LEAST_STANDBY = Duration.ofMillis(8);

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there are more than {@value #MOST_ADDRESSES} addresses, or a patience is
     *     not greater than zero, or standby is neither zero nor at least 8 ms
     */
    public SurvivalOptions {
        addresses = List.copyOf(addresses);
        if (addresses.size() > MOST_ADDRESSES) {
            throw new IllegalArgumentException(
                    "there can be at most " + MOST_ADDRESSES + " further addresses, not " + addresses.size());
        }
        positive("patience", patience);
        positive("exitPatience", exitPatience);
        if (standby.isNegative() || !standby.isZero() && standby.compareTo(LEAST_STANDBY) < 0) {
            throw new IllegalArgumentException("standby must be zero or at least 8 ms, not " + standby);
        }
    }

    /** With these further addresses and this patience, 10 s after the end of a process, and no standby. */
    public SurvivalOptions(List<SocketAddress> addresses, Duration patience) {
        this(addresses, patience, EXIT_PATIENCE, Duration.ZERO, false);
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be greater than zero, not " + value);
        }
    }

    /** These further addresses, a patience of one minute, 10 s after the end of a process, and no standby. */
    public static SurvivalOptions over(SocketAddress... addresses) {
        return new SurvivalOptions(List.of(addresses), PATIENCE);
    }

    /** With these further addresses in place of those there are. */
    public SurvivalOptions withAddresses(List<SocketAddress> value) {
        return new SurvivalOptions(value, patience, exitPatience, standby, logged);
    }

    /** With this maximum time without a transport. */
    public SurvivalOptions withPatience(Duration value) {
        return new SurvivalOptions(addresses, value, exitPatience, standby, logged);
    }

    /** With this maximum time without a transport after the probable end of the process of the peer. */
    public SurvivalOptions withExitPatience(Duration value) {
        return new SurvivalOptions(addresses, patience, value, standby, logged);
    }

    /** With a standby after a silence of 100 ms. */
    public SurvivalOptions withStandby() {
        return withStandby(STANDBY);
    }

    /** With a standby after this silence. */
    public SurvivalOptions withStandby(Duration silence) {
        return new SurvivalOptions(addresses, patience, exitPatience, silence, logged);
    }

    /** With a log of the requests of this side, if it is an adapter; see {@link #logged()}. */
    public SurvivalOptions withLog() {
        return new SurvivalOptions(addresses, patience, exitPatience, standby, true);
    }
}
