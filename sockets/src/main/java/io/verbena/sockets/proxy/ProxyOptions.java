package io.verbena.sockets.proxy;

import io.verbena.sockets.nio.SocketsOptions;

/**
 * What a {@link Proxy} does.
 *
 * @param listen where clients connect
 * @param target where their connections go
 * @param sockets how peers at an end for RDMA are reached and accepted; the target need not be listed
 * @param limits what is accepted
 */
public record ProxyOptions(ProxyAddress listen, ProxyAddress target, SocketsOptions sockets, ProxyLimits limits) {

    /** With the defaults. */
    public static ProxyOptions of(ProxyAddress listen, ProxyAddress target) {
        return new ProxyOptions(listen, target, SocketsOptions.defaults(), ProxyLimits.defaults());
    }

    public ProxyOptions withSockets(SocketsOptions value) {
        return new ProxyOptions(listen, target, value, limits);
    }

    public ProxyOptions withLimits(ProxyLimits value) {
        return new ProxyOptions(listen, target, sockets, value);
    }
}
