package io.verbena.storage.subsystem;

/**
 * The ends of a connection.
 *
 * @param from the network of the host, for its share of the places of new queues and controllers
 * @param peer the address of the host without a port, which distinguishes its paths
 * @param to where it connected to
 */
public record HostPath(String from, String peer, TargetAddress to) {
    /** Of a host whose network has one address. */
    public HostPath(String from, TargetAddress to) {
        this(from, from, to);
    }

    /** Whether both connect the same two addresses. */
    boolean same(HostPath other) {
        return peer.equals(other.peer) && to.equals(other.to);
    }
}
