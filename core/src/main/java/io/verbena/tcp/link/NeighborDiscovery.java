package io.verbena.tcp.link;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.NeighborMessage;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The hosts of an Ethernet link with IPv6: neighbor solicitations and advertisements (RFC 4861), and the check that no other host has the
 * address of this one (RFC 4862 section 5.4). Router advertisements and redirects are ignored: address and router are configured.
 *
 * <p>The times of RFC 4861 section 10 are constants here: 30 s, 5 s, 1 s. Only answers to solicitations confirm that a host is reachable;
 * the progress of TCP is not used.
 */
final class NeighborDiscovery implements EthernetProtocol {

    private static final long VALID_NS = 30 * Neighbors.RETRY_NS;
    private static final long DELAY_NS = 5 * Neighbors.RETRY_NS;

    private final IpAddress address;
    private final DiscoveryFrames frames;
    private final Neighbors neighbors;
    private final Ipv6Header ip = new Ipv6Header();
    private final NeighborMessage message = new NeighborMessage();

    /** End of the check that the address is unique, or NEVER after it. */
    private long tentativeUntilNs;

    private String conflict = "";

    NeighborDiscovery(IpAddress address, long hardware, Consumer<IpAddress> onUnreachable, long nowNs) {
        this.address = address;
        this.frames = new DiscoveryFrames(address, hardware);
        this.neighbors = new Neighbors(hardware, this, onUnreachable);
        this.tentativeUntilNs = Times.after(nowNs, Neighbors.RETRY_NS);
        // RFC 4862 section 5.1: DupAddrDetectTransmits is 1.
        neighbors.add(frames.duplicateCheck());
    }

    Neighbors neighbors() {
        return neighbors;
    }

    @Override
    public boolean joins(long group) {
        return group == DiscoveryFrames.ALL_NODES || group == frames.ownGroup();
    }

    @Override
    public boolean onFrame(int type, MemorySegment memory, long from, long to, long nowNs) {
        if (type != EthernetHeader.IPV6
                || ip.wrap(memory, from).check(to - from) != Ipv6Header.Check.OK
                || ip.nextHeader() != Ipv6Header.ICMP) {
            return false;
        }
        long content = from + Ipv6Header.LENGTH;
        long end = content + ip.payloadLength();
        int kind = message.wrap(memory, content, end).type();
        if (kind != NeighborMessage.SOLICITATION && kind != NeighborMessage.ADVERTISEMENT) {
            return false;
        }
        int length = ip.payloadLength();
        // RFC 4861 sections 7.1.1 and 7.1.2: from this link, undamaged, and well formed.
        if (ip.hopLimit() == NeighborMessage.HOP_LIMIT
                && message.fits()
                && InternetChecksum.intact(
                        ip.pseudoHeader(Ipv6Header.ICMP, length) + InternetChecksum.sum(memory, content, length))) {
            onMessage(kind, nowNs);
        }
        return true;
    }

    private void onMessage(int kind, long nowNs) {
        IpAddress source = new IpAddress(ip.sourceHigh(), ip.sourceLow());
        IpAddress target = new IpAddress(message.targetHigh(), message.targetLow());
        if (kind == NeighborMessage.ADVERTISEMENT) {
            onAdvertisement(target, nowNs);
        } else if (target.equals(address)) {
            onSolicitation(source, nowNs);
        }
    }

    /** RFC 4861 section 7.2.3; RFC 4862 section 5.4.3. */
    private void onSolicitation(IpAddress source, long nowNs) {
        long hardware = message.linkAddress(NeighborMessage.SOURCE_ADDRESS);
        if (source.isUnspecified()) {
            boolean toGroup = Ipv6Header.isMulticast(ip.destinationHigh());
            if (hardware != NeighborMessage.ABSENT || !toGroup) {
                return;
            }
            if (tentative()) {
                duplicate("another host is about to use it");
            } else if (conflict.isEmpty()) {
                neighbors.add(frames.advertisementToAll());
            }
            return;
        }
        if (tentative() || !conflict.isEmpty() || !source.isUnicast() || source.equals(address)) {
            return;
        }
        Neighbor entry = neighbors.lookUp(source);
        if (hardware != NeighborMessage.ABSENT && neighbors.isStation(hardware)) {
            entry = neighbors.entry(source, nowNs);
            entry.state(hardware);
            neighbors.known(entry);
        }
        if (entry != null && entry.hardware() != Neighbors.UNKNOWN) {
            neighbors.add(frames.advertisement(source, entry.hardware()));
        } else if (neighbors.find(source, nowNs) == Neighbors.UNKNOWN) {
            byte[] answer = frames.advertisement(source, 0);
            neighbors.keep(source, MemorySegment.ofArray(answer), 0, answer.length);
        }
    }

    /** RFC 4861 section 7.2.5; RFC 4862 section 5.4.4. */
    private void onAdvertisement(IpAddress target, long nowNs) {
        boolean solicited = (message.flags() & NeighborMessage.SOLICITED) != 0;
        if (solicited && Ipv6Header.isMulticast(ip.destinationHigh())) {
            return;
        }
        long stated = message.linkAddress(NeighborMessage.TARGET_ADDRESS);
        if (target.equals(address)) {
            if (tentative() && stated != frames.hardware()) {
                duplicate("another host has it");
            }
            return;
        }
        Neighbor entry = neighbors.lookUp(target);
        if (entry == null || stated != NeighborMessage.ABSENT && !neighbors.isStation(stated)) {
            return; // nothing is sent to that host, or no station
        }
        if (entry.state() == NeighborState.INCOMPLETE) {
            if (stated != NeighborMessage.ABSENT) {
                learn(entry, stated, solicited, nowNs);
            }
            return;
        }
        boolean other = stated != NeighborMessage.ABSENT && stated != entry.hardware();
        boolean override = (message.flags() & NeighborMessage.OVERRIDE) != 0;
        if (other && !override) {
            entry.dispute();
            return;
        }
        learn(entry, other ? stated : entry.hardware(), solicited, nowNs);
    }

    private void learn(Neighbor entry, long hardware, boolean solicited, long nowNs) {
        if (solicited) {
            entry.confirm(hardware, nowNs);
        } else {
            entry.state(hardware);
        }
        neighbors.known(entry);
    }

    // The check of the own address.

    private boolean tentative() {
        return tentativeUntilNs != Times.NEVER;
    }

    private void duplicate(String why) {
        tentativeUntilNs = Times.NEVER;
        conflict = "the address " + address + " cannot be used on this link: " + why;
    }

    @Override
    public boolean ready() {
        return !tentative() && conflict.isEmpty();
    }

    @Override
    public String conflict() {
        return conflict;
    }

    @Override
    public long nextDeadlineNs() {
        return tentativeUntilNs;
    }

    @Override
    public void onDeadline(long nowNs) {
        if (Times.due(tentativeUntilNs, nowNs)) {
            tentativeUntilNs = Times.NEVER;
        }
    }

    // Requests.

    @Override
    public byte[] request(IpAddress target, long to) {
        return frames.solicitation(target, to);
    }

    @Override
    public int etherType() {
        return EthernetHeader.IPV6;
    }

    @Override
    public long validNs() {
        return VALID_NS;
    }

    @Override
    public long delayNs() {
        return DELAY_NS;
    }
}
