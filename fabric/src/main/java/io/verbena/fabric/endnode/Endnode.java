package io.verbena.fabric.endnode;

import io.verbena.port.Addresses;
import io.verbena.sim.VirtualHost;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An endnode of a fabric: a software RNIC with one or more ports. */
public final class Endnode {

    private final int index;
    private final EndnodePorts ports;
    private final VirtualHost host;

    Endnode(int index, EndnodePorts ports, VirtualHost host) {
        this.index = index;
        this.ports = ports;
        this.host = host;
    }

    /** Number in the fabric, from 0 on. */
    public int index() {
        return index;
    }

    /** Its RNIC. */
    public Rnic rnic() {
        return host.rnic();
    }

    /** Number of its ports that are connected to a switch. */
    public int ports() {
        return ports.ports(index);
    }

    /** The LID of a port, from 0 on. */
    public int lid(int port) {
        if (port < 0 || port >= ports()) {
            throw new IllegalArgumentException(
                    "endnode " + index + " has " + ports() + " ports, counted from 0, not port " + port);
        }
        return ports.firstLid(index) + port;
    }

    /** The GID of a port, from 0 on, as an IPv6 address. */
    public InetAddress gid(int port) {
        return PortIdentity.gid(lid(port));
    }

    /** Where peers reach a service of this endnode: its first GID and a service number. */
    public InetSocketAddress address(int service) {
        return new InetSocketAddress(gid(0), service);
    }

    @Override
    public String toString() {
        return "endnode " + index + " at " + Addresses.text(address(0)) + ", LID " + lid(0);
    }
}
