package io.verbena.sockets.proxy;

import java.time.Duration;
import java.util.Optional;

/**
 * What a proxy accepts, and how long it waits for peers.
 *
 * @param connections connections at the same time; more are refused
 * @param perAddress connections of clients with one IP address at the same time; more are refused
 * @param connect time after which a target that answers no connection is given up
 * @param keepAlive time after which a silent peer is probed, and lost if it does not answer several probes; empty: a peer may be silent for any
 *     time
 */
public record ProxyLimits(int connections, int perAddress, Duration connect, Optional<Duration> keepAlive) {

    private static final Duration LONGEST = Duration.ofDays(365);

    /** The time to connect is limited to a year, which a nanosecond clock can count. */
    public ProxyLimits {
        connect = connect.compareTo(LONGEST) > 0 ? LONGEST : connect;
        if (connections < 1 || perAddress < 1 || !connect.isPositive()) {
            throw new IllegalArgumentException("The limits of a proxy must be 1 or more, and the time to connect"
                    + " longer than 0, not " + connections + ", " + perAddress + " and " + connect + ".");
        }
        if (keepAlive.isPresent() && keepAlive.get().compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "Keep-alive probes must be 1 s or more apart, not " + keepAlive.get() + ".");
        }
    }

    /** 10,000 connections, of one address as many, 5 s to connect, and no keep-alive. */
    public static ProxyLimits defaults() {
        return new ProxyLimits(10_000, 10_000, Duration.ofSeconds(5), Optional.empty());
    }

    public ProxyLimits withConnections(int value) {
        return new ProxyLimits(value, perAddress, connect, keepAlive);
    }

    public ProxyLimits withPerAddress(int value) {
        return new ProxyLimits(connections, value, connect, keepAlive);
    }

    public ProxyLimits withConnect(Duration value) {
        return new ProxyLimits(connections, perAddress, value, keepAlive);
    }

    public ProxyLimits withKeepAlive(Duration value) {
        return new ProxyLimits(connections, perAddress, connect, Optional.of(value));
    }
}
