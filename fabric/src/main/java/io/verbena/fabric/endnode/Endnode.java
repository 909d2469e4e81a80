package io.verbena.fabric.endnode;

import io.verbena.fabric.topology.AdapterKind;
import io.verbena.sim.VirtualHost;
import io.verbena.text.AddressText;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An endnode of a fabric: a software RNIC with one or more ports. */
public final class Endnode {

    private final int index;
    private final EndnodePorts ports;
    private final Subnets subnets;
    private final VirtualHost host;
    private final AdapterKind adapter;

    Endnode(int index, EndnodePorts ports, Subnets subnets, VirtualHost host, AdapterKind adapter) {
        this.index = index;
        this.subnets = subnets;
        this.ports = ports;
        this.host = host;
        this.adapter = adapter;
    }

    /** Number in the fabric, from 0 on. */
    public int index() {
        return index;
    }

    /** Its RNIC. */
    public Rnic rnic() {
        return host.rnic();
    }

    /** The kind of its adapter. */
    public AdapterKind adapter() {
        return adapter;
    }

    /** Number of its ports that are connected to a switch. */
    public int ports() {
        return ports.ports(index);
    }

    /** Number of paths to each of its ports: 2^LMC. */
    public int paths() {
        return ports.paths();
    }

    /** The first LID of a port, from 0 on. */
    public int lid(int port) {
        return lid(port, 0);
    }

    /** The LID of a path to a port, both from 0 on. */
    public int lid(int port, int path) {
        if (port < 0 || port >= ports() || path < 0 || path >= paths()) {
            throw new IllegalArgumentException("endnode " + index + " has " + ports() + " ports with " + paths()
                    + " paths, counted from 0, not port " + port + " and path " + path);
        }
        return ports.lid(index, port, path);
    }

    /** The first GID of a port, from 0 on, as an IPv6 address. */
    public InetAddress gid(int port) {
        return gid(port, 0);
    }

    /** The GID of a path to a port, both from 0 on, for address handles and alternate paths. */
    public InetAddress gid(int port, int path) {
        return PortIdentity.gid(subnets.subnetOf(lid(port, path)), lid(port, path));
    }

    /** The IPv6 address of a port, from 0 on, by which hosts of a LAN reach it: for raw datagrams. */
    public InetAddress routableAddress(int port) {
        return PortIdentity.routable(subnets.subnetOf(lid(port)), lid(port));
    }

    /** Where peers reach a service of this endnode: its first GID and a service number. */
    public InetSocketAddress address(int service) {
        return new InetSocketAddress(gid(0), service);
    }

    @Override
    public String toString() {
        return "endnode " + index + " at " + AddressText.of(address(0)) + ", LID " + lid(0);
    }
}
