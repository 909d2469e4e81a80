package io.verbena.storage.target;

/**
 * The ends of a connection.
 *
 * @param from the network of the host, for its share of the places of new queues
 * @param to where it connected to
 */
public record HostPath(String from, TargetAddress to) {}
