package io.verbena.fabric.endnode;

import io.verbena.ib.packet.SubnetView;
import io.verbena.sim.lan.Lan;
import io.verbena.sim.lan.LanRouter;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An endnode that is a router between the fabric and a LAN. Packets of raw datagrams that it receives leave on the LAN; those of the LAN with the
 * address of a port travel to it through the fabric. It does not forward from the fabric to the fabric.
 */
final class LanGateway {

    private final EndnodePorts ports;
    private final Subnets subnets;
    private final int endnode;
    private final Consumer<byte[]> fabric;
    private final LanRouter lan;
    private long dropped;

    /** A router that sends packets by {@code fabric}. */
    LanGateway(
            EndnodePorts ports,
            Subnets subnets,
            int endnode,
            Lan network,
            InetAddress address,
            Consumer<byte[]> fabric) {
        this.ports = ports;
        this.subnets = subnets;
        this.endnode = endnode;
        this.fabric = fabric;
        lan = network.router(address, this::fromLan);
    }

    /** A packet has arrived by the fabric. */
    void fromFabric(byte[] packet) {
        Optional<byte[]> ipv6 = RawPacket.ipv6(packet).filter(it -> subnet(it) < 0);
        if (ipv6.isPresent()) {
            lan.forward(ipv6.get());
        } else {
            dropped++;
        }
    }

    private void fromLan(byte[] ipv6) {
        int destination = destination(ipv6);
        if (destination == SubnetView.NO_LID) {
            dropped++;
        } else {
            fabric.accept(RawPacket.of(ipv6, ports.lid(endnode, 0, 0), destination));
        }
    }

    /** The port with the destination address of a packet, or the router towards it. */
    private int destination(byte[] ipv6) {
        int to = subnet(ipv6);
        int lid = PortIdentity.lid(header(ipv6).destinationLow());
        if (to < 0 || !ports.exists(lid) || subnets.subnetOf(lid) != to || ports.endnodeOf(lid) == endnode) {
            return SubnetView.NO_LID;
        }
        int here = subnets.subnetOf(ports.lid(endnode, 0, 0));
        return to == here ? lid : subnets.routerLid(here, to, lid);
    }

    private static int subnet(byte[] ipv6) {
        return PortIdentity.routableSubnet(header(ipv6).destinationHigh());
    }

    private static Ipv6Header header(byte[] ipv6) {
        return new Ipv6Header().wrap(MemorySegment.ofArray(ipv6), 0);
    }

    /** Packets without a way. */
    long dropped() {
        return dropped + lan.dropped();
    }
}
