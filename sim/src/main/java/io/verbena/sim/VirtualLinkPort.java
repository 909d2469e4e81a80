package io.verbena.sim;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.port.Addresses;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;

/**
 * A network interface of a virtual host, on an Ethernet that connects all hosts. Its frames are packets of the packet network, which may be
 * lost, late, duplicated and corrupted there. The switch knows where a station is as soon as it has sent a frame.
 */
final class VirtualLinkPort implements LinkPort, PacketEvents {

    private static final int PORT = 1;

    /** Frames to several stations go to all of them. */
    private static final InetAddress EVERYBODY = group();

    private static final PacketPath TO_ALL = Addresses.path(new InetSocketAddress(EVERYBODY, PORT), PacketPath.NOT_ECT);
    private static final int LIST_BYTES = 2 * MOST_BYTES;

    private final Map<Long, PacketPath> stations;
    private final int mtu;
    private final PacketPath own;
    private final VirtualPacketPort port;
    private final PacketList list = new PacketList(LIST_BYTES);
    private final PacketBatch batch = new PacketBatch(MOST_BYTES, 1);
    private final EthernetHeader ethernet = new EthernetHeader();
    private Optional<LinkEvents> events = Optional.empty();

    /** Opens a port with {@code open}; {@code stations} are those of the switch. */
    VirtualLinkPort(Map<Long, PacketPath> stations, int mtu, InetAddress host, Opening open) throws IOException {
        this.stations = stations;
        this.mtu = mtu;
        InetSocketAddress local = new InetSocketAddress(host, PORT);
        this.own = Addresses.path(local, PacketPath.NOT_ECT);
        this.port = open.open(local, this);
        port.join(EVERYBODY);
    }

    /** Opens a port of the packet network. */
    @FunctionalInterface
    interface Opening {
        VirtualPacketPort open(InetSocketAddress local, PacketEvents events) throws IOException;
    }

    private static InetAddress group() {
        try {
            return InetAddress.getByAddress(new byte[] {(byte) 224, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    void attach(LinkEvents listener) {
        events = Optional.of(listener);
    }

    @Override
    public String name() {
        return "virtual0";
    }

    @Override
    public boolean ethernet() {
        return true;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        batch.reset();
        if (port.receive(batch) == 0) {
            return 0;
        }
        int length = batch.length(0);
        new VirtioNetHeader().wrap(slab.segment(), offset).complete();
        MemorySegment.copy(
                batch.slab().segment(), batch.offset(0), slab.segment(), offset + VirtioNetHeader.LENGTH, length);
        return VirtioNetHeader.LENGTH + length;
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        int at = offset + VirtioNetHeader.LENGTH;
        int length = bytes - VirtioNetHeader.LENGTH;
        ethernet.wrap(slab.segment(), at);
        stations.put(ethernet.source(), own);
        list.reset(port.groupPackets(), port.groupBytes());
        int copy = list.reserve(length);
        MemorySegment.copy(slab.segment(), at, list.slab().segment(), copy, length);
        list.endPacket(stations.getOrDefault(ethernet.destination(), TO_ALL), 0);
        port.send(list, 0);
        return true;
    }

    @Override
    public void wantWritable(boolean wanted) {
        // the network always accepts frames
    }

    @Override
    public void close() {
        port.close();
    }

    @Override
    public void onReadable() {
        events.ifPresent(LinkEvents::onReadable);
    }

    @Override
    public void onWritable() {
        // never asked for
    }

    @Override
    public void onUnreachable(InetSocketAddress destination) {
        // Ethernet does not report that
    }
}
