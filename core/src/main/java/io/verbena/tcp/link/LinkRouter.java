package io.verbena.tcp.link;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.RandomSource;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/**
 * The interface of an IPv6 router on an Ethernet: it receives packets that stations send to the router for other networks, and sends packets of
 * other networks to stations, which it finds by neighbor discovery. Each packet that passes has a hop limit that is one less (RFC 8200 section
 * 3). Packets to the router itself are dropped. A pure state machine; frames have no virtio-net header.
 */
public final class LinkRouter {

    /** Most frames that wait to be sent; further packets are lost. */
    private static final int MOST_WAITING = 1024;

    private static final int IP_AT = VirtioNetHeader.LENGTH + EthernetHeader.LENGTH;
    private static final int HOP_LIMIT = 7;

    private final IpAddress own;
    private final Station station;
    private final Ipv6Header ip = new Ipv6Header();
    private final Deque<byte[]> ready = new ArrayDeque<>();

    /** An interface with an IPv6 address. All addresses to which packets are forwarded are on its link. */
    public LinkRouter(LinkAddress address, RandomSource random, long nowNs) {
        own = address.ip();
        station = new Station(own, random, gone -> {}, nowNs);
    }

    /** A frame has arrived. Returns the packet in it, if it is for another network. */
    public Optional<byte[]> onFrame(byte[] frame, long nowNs) {
        if (frame.length < EthernetHeader.LENGTH) {
            return Optional.empty();
        }
        MemorySegment memory = MemorySegment.ofArray(frame);
        if (!station.onFrame(memory, 0, frame.length, nowNs)) {
            return Optional.empty();
        }
        byte[] packet = Arrays.copyOfRange(frame, EthernetHeader.LENGTH, frame.length);
        return passes(packet)
                ? Optional.of(Arrays.copyOf(packet, Ipv6Header.LENGTH + ip.payloadLength()))
                : Optional.empty();
    }

    /** Sends a packet of another network to a station on the link. Returns whether it may pass. */
    public boolean forward(byte[] packet, long nowNs) {
        if (!station.ready() || ready.size() >= MOST_WAITING || !passes(packet)) {
            return false;
        }
        IpAddress hop = new IpAddress(ip.destinationHigh(), ip.destinationLow());
        byte[] frame = new byte[IP_AT + Ipv6Header.LENGTH + ip.payloadLength()];
        System.arraycopy(packet, 0, frame, IP_AT, frame.length - IP_AT);
        MemorySegment memory = MemorySegment.ofArray(frame);
        if (station.address(hop, memory, VirtioNetHeader.LENGTH, nowNs)) {
            ready.addLast(frame);
        } else {
            station.neighbors().keep(hop, memory, 0, frame.length);
        }
        return true;
    }

    /** Whether a packet is well formed, has hops left and one destination; if so, one hop is taken. */
    private boolean passes(byte[] packet) {
        MemorySegment memory = MemorySegment.ofArray(packet);
        if (ip.wrap(memory, 0).check(packet.length) != Ipv6Header.Check.OK || ip.hopLimit() <= 1) {
            return false;
        }
        IpAddress destination = new IpAddress(ip.destinationHigh(), ip.destinationLow());
        // RFC 4291 section 2.5.6: packets with link-local addresses stay on their link.
        if (destination.equals(own)
                || !destination.isUnicast()
                || destination.isLinkLocal()
                || new IpAddress(ip.sourceHigh(), ip.sourceLow()).isLinkLocal()) {
            return false;
        }
        memory.set(JAVA_BYTE, HOP_LIMIT, (byte) (ip.hopLimit() - 1));
        return true;
    }

    /** The next frame to send; empty if there is none. */
    public Optional<byte[]> poll() {
        byte[] frame = station.neighbors().next();
        if (frame != null) {
            station.neighbors().sent();
        } else {
            frame = ready.pollFirst();
        }
        return frame == null
                ? Optional.empty()
                : Optional.of(Arrays.copyOfRange(frame, VirtioNetHeader.LENGTH, frame.length));
    }

    /** When to call {@link #onDeadline}, or {@link io.verbena.base.Times#NEVER}. */
    public long nextDeadlineNs() {
        return station.nextDeadlineNs();
    }

    /** Time has passed. */
    public void onDeadline(long nowNs) {
        station.onDeadline(nowNs);
    }
}
