package io.verbena.tcp.link;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.ArpPacket;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The hosts of an Ethernet link with IPv4: ARP (RFC 826, RFC 1122 section 2.3.2). An address is learned from the answer to a request of
 * this side, and from a request for the address of this side. An entry that exists follows each packet of its host, as RFC 826 says,
 * so that a host that has moved is found again; other unsolicited packets create none. ARP does not protect against a forger on the
 * link.
 */
final class Arp implements EthernetProtocol {

    /** RFC 1122 section 2.3.2.1: entries that are out of date are flushed; they are checked first. */
    private static final long VALID_NS = 60 * Neighbors.RETRY_NS;

    private static final int CONTENT = Neighbors.FRAME + EthernetHeader.LENGTH;

    private final IpAddress address;
    private final long hardware;
    private final Neighbors neighbors;
    private final ArpPacket arp = new ArpPacket();

    Arp(IpAddress address, long hardware, Consumer<IpAddress> onUnreachable) {
        this.address = address;
        this.hardware = hardware;
        this.neighbors = new Neighbors(hardware, this, onUnreachable);
    }

    Neighbors neighbors() {
        return neighbors;
    }

    @Override
    public boolean joins(long group) {
        return group == EthernetHeader.BROADCAST;
    }

    @Override
    public boolean onFrame(int type, MemorySegment memory, long from, long to, long nowNs) {
        if (type == EthernetHeader.ARP) {
            onArp(memory, from, to - from, nowNs);
        }
        return type == EthernetHeader.ARP;
    }

    private void onArp(MemorySegment memory, long offset, long available, long nowNs) {
        if (!arp.wrap(memory, offset).fits(available)) {
            return;
        }
        long sender = arp.sender();
        IpAddress host = IpAddress.ipv4(arp.senderIp());
        if (!neighbors.isStation(sender) || host.equals(address) || arp.senderIp() == 0) {
            return; // no station, or a packet of this one
        }
        boolean request = arp.operation() == ArpPacket.REQUEST && arp.targetIp() == address.ipv4();
        // RFC 826: who asks for this host will talk to it.
        Neighbor entry = request ? neighbors.entry(host, nowNs) : neighbors.lookUp(host);
        if (entry != null) {
            entry.confirm(sender, nowNs);
            neighbors.known(entry);
        }
        if (request) {
            neighbors.add(frame(ArpPacket.REPLY, sender, sender, host));
        }
    }

    @Override
    public byte[] request(IpAddress target, long to) {
        return frame(ArpPacket.REQUEST, to == Neighbors.UNKNOWN ? EthernetHeader.BROADCAST : to, 0, target);
    }

    private byte[] frame(int operation, long to, long targetHardware, IpAddress target) {
        byte[] frame = new byte[CONTENT + ArpPacket.LENGTH];
        MemorySegment memory = MemorySegment.ofArray(frame);
        new VirtioNetHeader().wrap(memory, 0).complete();
        new EthernetHeader().wrap(memory, Neighbors.FRAME).write(to, hardware, EthernetHeader.ARP);
        new ArpPacket()
                .wrap(memory, CONTENT)
                .write(operation)
                .sender(hardware, address.ipv4())
                .target(targetHardware, target.ipv4());
        return frame;
    }

    @Override
    public int etherType() {
        return EthernetHeader.IPV4;
    }

    @Override
    public long validNs() {
        return VALID_NS;
    }

    @Override
    public long delayNs() {
        return 0;
    }

    @Override
    public boolean ready() {
        return true;
    }

    @Override
    public String conflict() {
        return "";
    }

    @Override
    public long nextDeadlineNs() {
        return Times.NEVER;
    }

    @Override
    public void onDeadline(long nowNs) {
        // no deadlines of its own
    }
}
