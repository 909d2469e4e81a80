package io.verbena.tools;

import io.verbena.tools.base.Failure;
import java.net.InetSocketAddress;

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
}
