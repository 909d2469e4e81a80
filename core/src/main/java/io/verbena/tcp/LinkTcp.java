package io.verbena.tcp;

import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.port.StreamEvents;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * The streams of one engine over a TCP in this process, whose IP packets travel through a network device. Peers are ordinary hosts,
 * with any TCP.
 *
 * <pre>
 *   {@link TcpHost}  <-->  [{@link Neighbors}, on Ethernet]  <-->  {@link LinkPort}
 * </pre>
 *
 * <p>If the device is removed, all connections end with a reason, and new ones are refused with one. The RNIC continues.
 */
public final class LinkTcp implements CarriedTcp, LinkEvents {

    /** Frames that are taken in one turn; others wait for the next one. */
    private static final int MOST_FRAMES = 64;

    /** The first two bytes of the hardware address: locally administered. The address of the host follows. */
    private static final long HARDWARE = 0x0256L << 32;

    private final LinkPort port;
    private final LinkAddress address;
    private final TcpHost host;
    private final TcpLoop streams;
    private final Neighbors neighbors;
    private final int linkHeader;
    private final long hardware;
    private final Slab arrived = new Slab(LinkPort.MOST_BYTES);
    private final Slab small = new Slab(LinkPort.MOST_BYTES);
    private final VirtioNetHeader virtio = new VirtioNetHeader();
    private final EthernetHeader ethernet = new EthernetHeader();
    private boolean readable = true;
    private boolean blocked;
    private boolean unsent;
    private long nowNs;

    /** Why the device cannot be used any more; empty while it can. Read by threads that listen. */
    private volatile String lost = "";

    /** Creates the streams of an engine. The settings' MTU is that of the device. */
    public LinkTcp(LinkPort port, LinkAddress address, TcpSettings settings, RandomSource random, long nowNs) {
        this.port = port;
        this.address = address;
        this.nowNs = nowNs;
        Carriage carriage = port.offloads() ? Carriage.OFFLOADED : Carriage.PACKETS;
        this.host =
                new TcpHost(settings.withMtu(port.mtu()), FlowKey.number(address.address()), carriage, random, nowNs);
        this.streams = host.newLoop(() -> {});
        int own = FlowKey.number(address.address());
        this.hardware = HARDWARE | Integer.toUnsignedLong(own);
        this.neighbors = new Neighbors(own, hardware, this::onUnreachable);
        this.linkHeader = VirtioNetHeader.LENGTH + (port.ethernet() ? EthernetHeader.LENGTH : 0);
    }

    @Override
    public TcpCounters counters() {
        return host.counters();
    }

    @Override
    public void onReadable() {
        readable = true;
    }

    @Override
    public void onWritable() {
        blocked = false;
    }

    // Input.

    @Override
    public int turn(long timeNs) {
        nowNs = timeNs;
        int frames = 0;
        try {
            while (readable && frames < MOST_FRAMES && lost.isEmpty()) {
                int bytes = port.receive(arrived, 0);
                readable = bytes > 0;
                if (readable) {
                    frames++;
                    onFrame(arrived.segment(), bytes);
                }
            }
        } catch (IOException e) {
            onLost(e);
        }
        host.onDeadline(timeNs);
        neighbors.onDeadline(timeNs);
        return frames + streams.report();
    }

    private void onFrame(MemorySegment memory, int bytes) {
        if (bytes < linkHeader) {
            return;
        }
        boolean trusted = virtio.wrap(memory, 0).trusted();
        if (port.ethernet()) {
            ethernet.wrap(memory, VirtioNetHeader.LENGTH);
            long to = ethernet.destination();
            if (to != hardware && to != EthernetHeader.BROADCAST) {
                return;
            }
            if (ethernet.type() == EthernetHeader.ARP) {
                neighbors.onArp(memory, linkHeader, bytes - linkHeader, nowNs);
            }
            // RFC 1122 section 3.3.6: a packet in a broadcast frame is for a broadcast address, so it is not for TCP.
            if (ethernet.type() != EthernetHeader.IPV4 || to != hardware) {
                return;
            }
        }
        host.onPacket(memory, linkHeader, bytes, trusted, nowNs);
    }

    private void onLost(IOException cause) {
        lost = "the network device " + port.name() + " is gone: " + cause.getMessage();
        port.close();
        host.onCarrierLost();
    }

    private void onUnreachable(int neighbor) {
        host.endSetUp(key -> address.nextHop(key.remote()) == neighbor, TcpEnd.UNREACHABLE);
    }

    // Output.

    @Override
    public void flush(long timeNs) {
        nowNs = timeNs;
        try {
            while (!blocked && lost.isEmpty() && (sendNeighbors() || sendPacket(timeNs))) {
                // until nothing is left, or the device is full
            }
        } catch (IOException e) {
            onLost(e);
        }
        while (!lost.isEmpty() && host.transmit(timeNs)) {
            // goes nowhere
        }
    }

    private boolean sendNeighbors() throws IOException {
        byte[] frame = neighbors.next();
        if (frame == null) {
            return false;
        }
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, small.segment(), 0, frame.length);
        if (accepted(port.send(small, 0, frame.length))) {
            neighbors.sent();
        }
        return true;
    }

    /** Sends the next packet of a connection; returns false if there is none. */
    private boolean sendPacket(long timeNs) throws IOException {
        if (!unsent && !host.transmit(timeNs)) {
            return false;
        }
        unsent = !sendOut();
        return true;
    }

    private boolean sendOut() throws IOException {
        PacketOut out = host.out();
        MemorySegment memory = out.slab().segment();
        int from = PacketOut.OFFSET - linkHeader;
        int bytes = linkHeader + out.length();
        int ipAt = linkHeader - VirtioNetHeader.LENGTH;
        virtio.wrap(memory, from);
        if (out.summed()) {
            virtio.complete();
        } else {
            virtio.tcp(ipAt + Headers.IP_BYTES, ipAt + out.headerBytes(), out.segmentBytes());
        }
        if (port.ethernet()) {
            int hop = address.nextHop(out.flow().remote());
            long to = neighbors.find(hop, nowNs);
            if (to == Neighbors.UNKNOWN) {
                neighbors.keep(hop, memory, from, bytes);
                return true;
            }
            ethernet.wrap(memory, from + VirtioNetHeader.LENGTH).write(to, hardware, EthernetHeader.IPV4);
        }
        return accepted(port.send(out.slab(), from, bytes));
    }

    private boolean accepted(boolean sent) {
        blocked = !sent;
        port.wantWritable(blocked);
        return sent;
    }

    @Override
    public long nextDeadlineNs() {
        boolean output = !blocked && (unsent || host.hasOutput() || neighbors.next() != null);
        if (streams.reporting() || lost.isEmpty() && (readable || output)) {
            return nowNs;
        }
        return Times.earlier(host.nextDeadlineNs(), neighbors.nextDeadlineNs());
    }

    @Override
    public void close(long timeNs) {
        host.abandon();
        flush(timeNs);
        if (lost.isEmpty()) {
            lost = "the RNIC is closed";
            port.close();
        }
    }

    // Streams.

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        if (lost.isEmpty()) {
            streams.connect(local, remote, events);
        } else {
            streams.soon(() -> events.onConnectFailed(false, lost));
        }
    }

    @Override
    public void giveUpConnecting(ConnectEvents events) {
        streams.giveUpConnecting(events);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        if (!lost.isEmpty()) {
            throw new IOException(lost);
        }
        return streams.listen(local, backlog, events);
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        streams.attach(stream, events);
    }

    @Override
    public void detach(ByteStream stream) {
        streams.detach(stream);
    }
}
