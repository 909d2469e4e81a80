package io.verbena.sockets.proxy;

import java.time.Duration;

/**
 * What a proxy accepts.
 *
 * @param connections connections at the same time; more are refused
 * @param perAddress connections of clients with one IP address at the same time; more are refused
 * @param connect maximum time to connect to the target
 */
public record ProxyLimits(int connections, int perAddress, Duration connect) {

    public ProxyLimits {
        if (connections < 1 || perAddress < 1 || !connect.isPositive()) {
            throw new IllegalArgumentException("The limits of a proxy must be 1 or more, and the time to connect"
                    + " longer than 0, not " + connections + ", " + perAddress + " and " + connect + ".");
        }
    }

    /** 10,000 connections, of one address as many, and 5 s to connect. */
    public static ProxyLimits defaults() {
        return new ProxyLimits(10_000, 10_000, Duration.ofSeconds(5));
    }

    public ProxyLimits withConnections(int value) {
        return new ProxyLimits(value, perAddress, connect);
    }

    public ProxyLimits withPerAddress(int value) {
        return new ProxyLimits(connections, value, connect);
    }

    public ProxyLimits withConnect(Duration value) {
        return new ProxyLimits(connections, perAddress, value);
    }
}
