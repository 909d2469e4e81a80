package io.verbena.storage.host;

/**
 * One line of the discovery log page.
 *
 * @param subsystem NQN
 * @param kind 1 another discovery service, 2 a subsystem, 3 this discovery service
 * @param transport 1 RDMA
 * @param address where to connect
 * @param service the port, as text
 * @param port PORTID
 */
public record DiscoveryRecord(String subsystem, int kind, int transport, String address, String service, int port) {}
