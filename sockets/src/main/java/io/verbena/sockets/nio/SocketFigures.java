package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;

/**
 * What one connection of a provider has done until now.
 *
 * @param id a number that no other connection of the provider has
 * @param route between which addresses
 * @param transport what carries the bytes
 * @param why why TCP carries the bytes, in words that follow "by TCP:"; empty if RDMA does
 * @param stream bytes, messages, copies, credits, stalls and buffers; of a connection by TCP, the bytes and copies
 */
public record SocketFigures(long id, Route route, SocketTransport transport, String why, StreamFigures stream) {

    /**
     * Between which addresses a connection is, as HOST:PORT.
     *
     * @param local of this side; empty if it is not known
     * @param remote of the peer; empty if it is not known
     * @param accepted whether this side has accepted the connection; else it has connected
     */
    public record Route(String local, String remote, boolean accepted) {}
}
