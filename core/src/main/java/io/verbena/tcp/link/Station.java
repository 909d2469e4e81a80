package io.verbena.tcp.link;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A host as a station of an Ethernet: its hardware address, the frames for it, and the hardware addresses of the others. A pure state
 * machine.
 */
public final class Station {

    /** The first two bytes of the hardware address: locally administered. The IPv4 address of the host follows. */
    private static final long IPV4_HARDWARE = 0x0256L << 32;

    /** The same; random bits follow, so that two hosts with one address can notice each other (RFC 4862 section 5.4.3). */
    private static final long IPV6_HARDWARE = 0x0257L << 32;

    private final long hardware;
    private final EthernetProtocol protocol;
    private final Neighbors neighbors;
    private final EthernetHeader ethernet = new EthernetHeader();

    public Station(IpAddress own, RandomSource random, Consumer<IpAddress> onUnreachable, long nowNs) {
        if (own.isIpv4()) {
            hardware = IPV4_HARDWARE | Integer.toUnsignedLong(own.ipv4());
            Arp arp = new Arp(own, hardware, onUnreachable);
            protocol = arp;
            neighbors = arp.neighbors();
        } else {
            hardware = IPV6_HARDWARE | random.nextLong() & 0xffff_ffffL;
            NeighborDiscovery discovery = new NeighborDiscovery(own, hardware, onUnreachable, nowNs);
            protocol = discovery;
            neighbors = discovery.neighbors();
        }
    }

    /** A frame has arrived; returns whether its content is an IP packet that concerns the host. */
    public boolean onFrame(MemorySegment memory, long from, long to, long nowNs) {
        ethernet.wrap(memory, from);
        long destination = ethernet.destination();
        if (destination != hardware && !protocol.joins(destination) || ethernet.source() == hardware) {
            return false;
        }
        int type = ethernet.type();
        boolean own = protocol.onFrame(type, memory, from + EthernetHeader.LENGTH, to, nowNs);
        // RFC 1122 section 3.3.6: a packet in a broadcast frame is for a broadcast address, so it is not for TCP.
        return !own && type == protocol.etherType() && destination == hardware && protocol.ready();
    }

    /** Whether packets may be sent. */
    public boolean ready() {
        return protocol.ready();
    }

    /** Why the host may not use its address; empty as long as it may. */
    public String conflict() {
        return protocol.conflict();
    }

    /**
     * Writes the Ethernet header of a packet to a host on the link; false if its hardware address is not known yet. The caller then gives
     * the frame to {@link Neighbors#keep}.
     */
    public boolean address(IpAddress hop, MemorySegment memory, int at, long nowNs) {
        long to = neighbors.find(hop, nowNs);
        if (to != Neighbors.UNKNOWN) {
            ethernet.wrap(memory, at).write(to, hardware, protocol.etherType());
        }
        return to != Neighbors.UNKNOWN;
    }

    public Neighbors neighbors() {
        return neighbors;
    }

    public long nextDeadlineNs() {
        return Times.earlier(protocol.nextDeadlineNs(), neighbors.nextDeadlineNs());
    }

    public void onDeadline(long nowNs) {
        protocol.onDeadline(nowNs);
        neighbors.onDeadline(nowNs);
    }
}
