package io.verbena.tcp;

import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.FrameData;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.port.StreamEvents;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.link.SilentHosts;
import io.verbena.tcp.link.Station;
import io.verbena.tcp.state.TcpCounters;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one engine over a TCP in this process, whose IP packets travel through a network device. Peers are ordinary hosts,
 * with any TCP.
 *
 * <pre>
 *   {@link TcpHost}  &lt;--&gt;  [{@link Station}, on Ethernet]  &lt;--&gt;  {@link LinkPort}
 * </pre>
 *
 * <p>If the device is removed, all connections end with a reason, and new ones are refused with one. The RNIC continues.
 */
public final class LinkTcp implements CarriedTcp, LinkEvents {

    /** Frames that are taken in one turn; others wait for the next one. They stay where they are until the engine has had its turn. */
    private static final int MOST_FRAMES = 64;

    /** The frames of a turn together: as many large ones as a processor's cache holds. */
    private static final int ARRIVED_BYTES = 256 * 1024;

    /** Packets to this host itself that wait; further ones are lost. */
    private static final int MOST_LOOPED = 1024;

    private final LinkPort port;
    private final LinkAddress address;
    private final TcpHost host;
    private final TcpLoop streams;
    private final @Nullable Station station;
    private final SilentHosts silent = new SilentHosts();
    private final int linkHeader;

    /** Packets of this host to itself, which do not leave it. */
    private final Deque<byte[]> looped = new ArrayDeque<>();

    /** What the virtio-net header calls large segments. */
    private final int segments;

    private final Slab arrived = new Slab(ARRIVED_BYTES + LinkPort.MOST_BYTES);
    private final Slab small = new Slab(LinkPort.MOST_BYTES);
    private final VirtioNetHeader virtio = new VirtioNetHeader();

    /** What the packet that is sent has in the send buffer. */
    private final FrameData data = new FrameData();

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
        if (!address.ip().isIpv4() && port.mtu() < Ipv6Header.LEAST_MTU) {
            throw new IllegalArgumentException("IPv6 needs an MTU of at least " + Ipv6Header.LEAST_MTU + " bytes, and "
                    + port.name() + " has " + port.mtu());
        }
        this.host = new TcpHost(settings.withMtu(port.mtu()), address.ip(), carriage, random, nowNs);
        if (port.gathers()) {
            host.gathers();
        }
        // The system accounts more than the bytes of a frame.
        host.limits().receiveBudget(port.receiveBufferBytes() / 2);
        this.streams = host.newLoop(() -> {});
        this.station = port.ethernet() ? new Station(address.ip(), random, this::onUnreachable, nowNs) : null;
        this.segments = address.ip().isIpv4() ? VirtioNetHeader.TCP_IPV4 : VirtioNetHeader.TCP_IPV6;
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
        host.settle();
        int frames = receiveLooped();
        int used = 0;
        try {
            while (readable && frames < MOST_FRAMES && used <= ARRIVED_BYTES && lost.isEmpty()) {
                int bytes = port.receive(arrived, used);
                readable = bytes > 0;
                if (readable) {
                    frames++;
                    onFrame(used, used + bytes);
                    used += bytes;
                }
            }
        } catch (IOException e) {
            onLost(e);
        }
        host.onDeadline(timeNs);
        if (station != null) {
            station.onDeadline(timeNs);
        }
        return frames + streams.report();
    }

    private int receiveLooped() {
        int packets = looped.size();
        for (int i = 0; i < packets; i++) {
            byte[] packet = looped.removeFirst();
            host.onPacket(MemorySegment.ofArray(packet), 0, packet.length, true, nowNs);
        }
        return packets;
    }

    private void onFrame(int from, int to) {
        if (to - from < linkHeader) {
            return;
        }
        MemorySegment memory = arrived.segment();
        boolean trusted = virtio.wrap(memory, from).trusted();
        if (station == null || station.onFrame(memory, from + VirtioNetHeader.LENGTH, to, nowNs)) {
            host.onLentPacket(arrived, from + linkHeader, to, trusted, nowNs);
        } else if (!station.conflict().isEmpty()) {
            end(station.conflict());
        }
    }

    private void onLost(IOException cause) {
        end("the network device " + port.name() + " is gone: " + cause.getMessage());
    }

    private void end(String reason) {
        lost = reason;
        port.close();
        host.onCarrierLost();
    }

    private void onUnreachable(IpAddress neighbor) {
        if (silent.absent(neighbor, nowNs)) {
            host.endSetUp(key -> address.nextHop(key.remote()).equals(neighbor), TcpEnd.UNREACHABLE);
        }
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
        byte[] frame = station == null ? null : station.neighbors().next();
        if (station == null || frame == null) {
            return false;
        }
        MemorySegment.copy(MemorySegment.ofArray(frame), 0, small.segment(), 0, frame.length);
        if (accepted(port.send(small, 0, frame.length))) {
            station.neighbors().sent();
        }
        return true;
    }

    /** Sends the next packet of a connection; returns false if there is none. */
    private boolean sendPacket(long timeNs) throws IOException {
        if (!mayTransmit() || !unsent && !host.transmit(timeNs)) {
            return false;
        }
        unsent = !sendOut();
        return true;
    }

    /** Whether the host may use its address already. */
    private boolean mayTransmit() {
        return station == null || station.ready();
    }

    private boolean sendOut() throws IOException {
        PacketOut out = host.out();
        MemorySegment memory = out.slab().segment();
        if (out.flow().remote().equals(address.ip())) {
            host.completeOut();
            if (looped.size() < MOST_LOOPED) {
                looped.addLast(memory.asSlice(PacketOut.OFFSET, out.length()).toArray(ValueLayout.JAVA_BYTE));
            }
            return true;
        }
        int from = PacketOut.OFFSET - linkHeader;
        int bytes = linkHeader + out.length();
        int ipAt = linkHeader - VirtioNetHeader.LENGTH;
        virtio.wrap(memory, from);
        if (out.summed()) {
            virtio.complete();
        } else {
            virtio.tcp(segments, ipAt + out.ipBytes(), ipAt + out.headerBytes(), out.segmentBytes());
        }
        if (station != null) {
            IpAddress hop = address.nextHop(out.flow().remote());
            if (out.unanswered()) {
                station.neighbors().doubt(hop, nowNs);
            }
            if (!station.address(hop, memory, from + VirtioNetHeader.LENGTH, nowNs)) {
                host.completeOut();
                station.neighbors().keep(hop, memory, from, bytes);
                return true;
            }
        }
        return accepted(send(out.slab(), from, bytes));
    }

    private boolean send(Slab slab, int from, int bytes) throws IOException {
        host.outData(data);
        int referred = data.bytes();
        if (referred == 0) {
            return port.send(slab, from, bytes);
        }
        boolean sent = port.send(slab, from, bytes - referred, data);
        if (!sent) {
            host.completeOut(); // the connection may end before the device takes the packet
        }
        return sent;
    }

    private boolean accepted(boolean sent) {
        blocked = !sent;
        port.wantWritable(blocked);
        return sent;
    }

    @Override
    public long nextDeadlineNs() {
        boolean found = station != null && station.neighbors().next() != null;
        boolean output = !blocked && (found || mayTransmit() && (unsent || host.hasOutput()));
        if (streams.reporting() || !looped.isEmpty() || lost.isEmpty() && (readable || output)) {
            return nowNs;
        }
        return station == null ? host.nextDeadlineNs() : Times.earlier(host.nextDeadlineNs(), station.nextDeadlineNs());
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
