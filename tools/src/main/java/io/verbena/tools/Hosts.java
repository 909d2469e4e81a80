package io.verbena.tools;

import io.verbena.tools.base.Failure;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Optional;

/** Names of hosts. */
final class Hosts {

    private Hosts() {}

    /** The address behind a name. */
    static InetSocketAddress resolve(String name, int port) throws Failure {
        InetSocketAddress resolved = new InetSocketAddress(name, port);
        if (name.isBlank() || resolved.isUnresolved()) {
            throw new Failure("Unknown host '" + name + "': check the name, or use an IP address");
        }
        return resolved;
    }

    /**
     * The local address of an RNIC whose address the peer must know.
     *
     * @param given the address that the user has given
     * @param server the server of a client: without a given address, the one from which the server is reached
     */
    static InetAddress local(Optional<String> given, Optional<InetSocketAddress> server)
            throws UsageProblem, Failure, SocketException {
        if (given.isPresent()) {
            return resolve(given.get(), 0).getAddress();
        }
        if (server.isEmpty()) {
            throw new UsageProblem(
                    "A server needs its local address: give it with -a, or give a HOST to run as the client");
        }
        try (DatagramSocket probe = new DatagramSocket()) {
            probe.connect(server.get()); // only asks the routing table
            return probe.getLocalAddress();
        }
    }
}
