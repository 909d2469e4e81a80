package io.verbena.sockets.proxy;

/**
 * What a proxy has done since its start.
 *
 * @param connections the connections
 * @param bytesToTarget bytes that were carried from clients to the target
 * @param bytesToClients bytes that were carried from the target to clients
 */
public record ProxyFigures(Connections connections, long bytesToTarget, long bytesToClients) {

    /**
     * Connections of clients.
     *
     * @param open that are open now
     * @param accepted that were accepted and not refused
     * @param refused beyond a limit
     * @param failed whose target could not be connected
     * @param plain whose peer at an end for RDMA used TCP
     */
    public record Connections(long open, long accepted, long refused, long failed, long plain) {}
}
