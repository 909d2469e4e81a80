package io.verbena.tcp;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.FrameData;
import io.verbena.port.PacketBatch;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.connection.FlowTable;
import io.verbena.tcp.connection.OpeningNumbers;
import io.verbena.tcp.connection.SegmentRules;
import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.connection.Turns;
import io.verbena.tcp.flow.CarrierLimits;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.flow.Replies;
import io.verbena.tcp.handshake.StatelessHandshake;
import io.verbena.tcp.handshake.StatelessSegments;
import io.verbena.tcp.ip.IcmpInput;
import io.verbena.tcp.ip.Icmpv6Input;
import io.verbena.tcp.ip.IpLayer;
import io.verbena.tcp.ip.Ipv4Layer;
import io.verbena.tcp.ip.Ipv6Layer;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.receive.ConnectionBuffers;
import io.verbena.tcp.receive.ReceiveRing;
import io.verbena.tcp.segment.BufferPool;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.send.SegmentOut;
import io.verbena.tcp.state.TcpCounters;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A host with one IPv4 or IPv6 address: connections, listeners, and the way of packets between them and a carrier. A pure state machine; one
 * thread at a time uses it, except {@link StreamLoop#listen} and closing a listener.
 *
 * <pre>
 *   carrier --&gt; {@link #onPacket} --&gt; connection --&gt; {@link TcpLoop#report} --&gt; owner
 *   carrier &lt;-- {@link #transmit} &lt;-- connection &lt;-- {@link TcpStream} &lt;------- owner
 * </pre>
 *
 * <p>A carrier delivers whole IP packets, or with encapsulation TCP segments and the address and UDP port from which they came. With
 * encapsulation the checksum of UDP protects the segment, and the addresses that the peer sees may differ (NAT), so the TCP
 * checksum then covers no pseudo-header.
 *
 * <p>Over 500 lines: connections, listeners, neighbors and packets meet in this class only; 45 lines are imports.
 */
public final class TcpHost {

    /** Most connections; further ones are refused. */
    private static final int MOST_CONNECTIONS = 65_536;

    /** Timeouts in a row that are no coincidence: the packets may go to the wrong station. */
    private static final int SILENT_TIMEOUTS = 2;

    private final TcpSettings settings;
    private final IpAddress address;
    private final Carriage carriage;
    private final boolean encapsulated;

    /** Whether the checksum of UDP is verified, so that the one of TCP is neither computed nor verified. */
    private final boolean summedByUdp;

    private final Choices choices;
    private final ConnectionBuffers buffers;
    private final FlowTable connections = new FlowTable();
    private final Turns turns = new Turns();
    private final Connector connector;
    private final Listeners listeners;
    private final Replies replies;
    private final StatelessSegments stateless;
    private final ListenRules listenRules;
    private final SegmentIn in = new SegmentIn();
    private final SegmentOut segmentOut = new SegmentOut();
    private final IpLayer ip;
    private final PacketOut out;
    private final TcpCounters counters = new TcpCounters();
    private final Deque<TcpConnection> borrowers = new ArrayDeque<>();
    private final CarrierLimits limits = new CarrierLimits();
    private long nowNs;

    /**
     * Creates a host.
     *
     * @param address its IP address; the wildcard address with encapsulation
     * @param encapsulated whether the carrier encapsulates segments in UDP
     * @param random source of what must be unpredictable
     */
    public TcpHost(TcpSettings settings, InetAddress address, boolean encapsulated, RandomSource random, long nowNs) {
        this(settings, IpAddress.of(address), encapsulated ? Carriage.UDP : Carriage.PACKETS, random, nowNs);
    }

    /** A host whose segments are encapsulated in UDP, whose checksum the carrier may verify. */
    static TcpHost overUdp(TcpSettings settings, boolean summedByUdp, RandomSource random, long nowNs) {
        TcpHost host = new TcpHost(
                settings, IpAddress.ipv4(0), summedByUdp ? Carriage.SUMMED_UDP : Carriage.UDP, random, nowNs);
        host.segmentOut.gathers();
        return host;
    }

    TcpHost(TcpSettings settings, IpAddress address, Carriage carriage, RandomSource random, long nowNs) {
        this.settings = settings;
        this.address = address;
        this.carriage = carriage;
        this.encapsulated = carriage == Carriage.UDP || carriage == Carriage.SUMMED_UDP;
        this.summedByUdp = carriage == Carriage.SUMMED_UDP;
        this.choices = new Choices(random);
        this.connector = new Connector(this, choices);
        this.listeners = new Listeners(address, encapsulated, choices);
        this.buffers = new ConnectionBuffers(
                new BufferPool(settings.sendBytes()),
                new BufferPool(settings.receiveBytes() + ReceiveRing.TAIL),
                counters);
        int header = address.isIpv4() ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
        this.replies = new Replies(settings.mtu() - header);
        this.stateless = new StatelessSegments(replies, counters);
        this.listenRules = new ListenRules(
                this, listeners, choices, stateless, new StatelessHandshake(settings, choices, stateless));
        this.ip = address.isIpv4()
                ? new Ipv4Layer(address.ipv4(), new IcmpInput(connections, replies), choices.identification())
                : new Ipv6Layer(address, new Icmpv6Input(connections, replies));
        this.out = new PacketOut(ip, carriage == Carriage.OFFLOADED ? TcpSettings.MOST_MTU : settings.mtu());
        this.segmentOut.together(carriage == Carriage.OFFLOADED ? TcpSettings.MOST_MTU - header : 0);
        this.nowNs = nowNs;
    }

    /** The carrier takes data from the send buffer: {@link #outData} describes those of a packet. */
    void gathers() {
        segmentOut.gathers();
    }

    CarrierLimits limits() {
        return limits;
    }

    /** The streams of one engine. {@code wake} is called when {@link TcpLoop#report} has something to report. */
    public TcpLoop newLoop(Runnable wake) {
        return new TcpLoop(this, wake);
    }

    /** What this host has counted. */
    public TcpCounters counters() {
        return counters;
    }

    /** Whether a listener or a connection in any state has this port. */
    boolean uses(int localPort) {
        return listeners.has(localPort) || connections.has(localPort);
    }

    /** Connections in any state, with those in TIME-WAIT. */
    public int connectionCount() {
        return connections.count();
    }

    /** Buffers that connections hold, each of the size of the settings. */
    public int lentBuffers() {
        return buffers.send().lent() + buffers.receive().lent();
    }

    /** The time of the last call that stated it. */
    long nowNs() {
        return nowNs;
    }

    // Input.

    /**
     * An IP packet has arrived.
     *
     * @param verified whether the carrier has verified the TCP checksum, or knows that it is not needed
     */
    public void onPacket(MemorySegment memory, long from, long to, boolean verified, long timeNs) {
        in.lend(null);
        onIpPacket(memory, from, to, verified, timeNs);
    }

    /** The same for a packet in memory that the carrier lends until {@link #settle}. */
    void onLentPacket(Slab memory, int from, int to, boolean verified, long timeNs) {
        in.lend(memory);
        onIpPacket(memory.segment(), from, to, verified, timeNs);
    }

    private void onIpPacket(MemorySegment memory, long from, long to, boolean verified, long timeNs) {
        nowNs = timeNs;
        counters.packetsIn++;
        if (!ip.wrap(memory, from, to)) {
            counters.packetsDropped++;
            return;
        }
        long content = ip.content();
        long end = ip.end();
        if (ip.isIcmp(ip.protocol())) {
            TcpConnection touched = ip.onIcmp(memory);
            if (touched != null) {
                after(touched);
            }
        } else if (ip.protocol() == Ipv4Header.TCP) {
            long sum = verified ? 0xffff : ip.pseudoHeader() + InternetChecksum.sum(memory, content, end - content);
            // RFC 9293 section 3.1 [3]: a segment with a wrong checksum is dropped.
            if (InternetChecksum.intact(sum)) {
                in.typeOfService(ip.trafficClass());
                onSegment(memory, content, end, ip.sourceHigh(), ip.sourceLow(), 0);
            } else {
                counters.checksumErrors++;
            }
        }
    }

    /**
     * An encapsulated segment is a packet of a batch. The carrier lends the memory of the batch until {@link #settle}.
     */
    void onEncapsulated(PacketBatch batch, int packet, long timeNs) {
        nowNs = timeNs;
        counters.packetsIn++;
        Slab memory = batch.slab();
        int from = batch.offset(packet);
        int to = from + batch.length(packet);
        if (!summedByUdp && !InternetChecksum.intact(InternetChecksum.sum(memory.segment(), from, to - from))) {
            counters.checksumErrors++;
            return;
        }
        in.typeOfService(batch.trafficClass(packet));
        in.lend(memory);
        onSegment(
                memory.segment(),
                from,
                to,
                batch.sourceHigh(packet),
                batch.sourceLow(packet),
                batch.sourcePort(packet));
    }

    /** The carrier will use its memory again: data that the owners have not taken is copied. */
    void settle() {
        while (!borrowers.isEmpty()) {
            TcpConnection connection = borrowers.removeFirst();
            connection.borrows = false;
            connection.receiver().settle();
        }
    }

    private void onSegment(MemorySegment memory, long from, long to, long remoteHigh, long remoteLow, int path) {
        if (!in.wrap(memory, from, to)) {
            counters.packetsDropped++;
            return;
        }
        TcpHeader header = in.header();
        int ports = FlowKey.ports(header.destinationPort(), header.sourcePort());
        counters.segmentsIn++;
        TcpConnection connection = connections.find(remoteHigh, remoteLow, ports, path);
        if (connection == null || process(connection)) {
            IpAddress remote = new IpAddress(remoteHigh, remoteLow);
            listenRules.onSegment(new FlowKey(addressTo(remote), remote, ports, path), in, nowNs);
        }
    }

    /** Gives the current segment to a connection. Returns whether that has ended because the segment begins a new one. */
    boolean process(TcpConnection connection) {
        SegmentRules.Verdict verdict = SegmentRules.onSegment(connection, in, nowNs);
        if (connection.receiver().borrows() && !connection.borrows) {
            connection.borrows = true;
            borrowers.addLast(connection);
        }
        boolean ends = false;
        if (verdict == SegmentRules.Verdict.RESET) {
            ends = listenRules.replaces(connection, in, nowNs);
            if (ends) {
                connection.fail(TcpEnd.RESET);
            } else {
                stateless.reset(connection.key(), in);
            }
        } else if (verdict == SegmentRules.Verdict.REUSE) {
            ends = listeners.accepts(connection.key().localPort());
            if (!ends) {
                // RFC 9293 section 3.6.1 [note]: only a new connection shortens TIME-WAIT, and none begins here.
                connection.challenge(nowNs);
            }
        }
        after(connection);
        if (ends) {
            forget(connection);
        }
        return ends;
    }

    /** Whether no further connection can begin. */
    boolean full() {
        return connections.count() >= MOST_CONNECTIONS;
    }

    boolean offersEcn() {
        return settings.features().ecn() && limits.showsMarks();
    }

    /** Creates the connection of a listener; the peer's SYN is still to be taken. */
    TcpConnection accept(FlowKey key, TcpListener listener, int sequence) {
        listener.opening();
        return create(key, false, sequence, new TcpStream(this, listener));
    }

    private TcpConnection create(FlowKey key, boolean connects, int sequence, TcpStream stream) {
        OpeningNumbers opening = new OpeningNumbers(connects, sequence, choices.timestamp(key), offersEcn());
        TcpConnection connection = new TcpConnection(key, settings, buffers, opening, stream);
        connection.pathMtu(limits.mtuTo(key.remote()));
        connection.receiver().limit(limits.window(connections.count()));
        stream.connection(connection);
        connections.add(connection);
        return connection;
    }

    // After each change of a connection.

    /** The owner has changed a connection. */
    void touch(TcpConnection connection) {
        after(connection);
    }

    private void after(TcpConnection connection) {
        connection.report();
        if (connection.closed() && !connection.resetDue()) {
            forget(connection);
            return;
        }
        turns.changed(connection);
        TcpConnection oldest = turns.excessive();
        if (oldest != null) {
            forget(oldest);
        }
    }

    private void forget(TcpConnection connection) {
        turns.leave(connection);
        if (connections.find(connection) == connection) {
            connections.remove(connection);
        }
        connection.finished();
    }

    // Output and time.

    /**
     * Writes the next packet to send into {@link #out}; returns false if there is none now. Connections take turns.
     */
    public boolean transmit(long timeNs) {
        nowNs = timeNs;
        if (replies.any()) {
            send(replies.take());
            return true;
        }
        TcpConnection connection;
        while ((connection = turns.takeOutput()) != null) {
            connection.receiver().limit(limits.window(connections.count()));
            if (connection.transmit(segmentOut, out.place(), timeNs)) {
                finish(connection.key(), segmentOut.length(), segmentOut.headerBytes(), segmentOut.eachBytes());
                out.opened(connection.connects());
                out.unanswered(connection.sender().timeouts() >= SILENT_TIMEOUTS);
                counters.packetsOut++;
                counters.segmentsOut++;
                after(connection);
                return true;
            }
            turns.deadlineMoved(connection);
        }
        return false;
    }

    private void send(Replies.Reply reply) {
        int length = reply.content().length;
        MemorySegment.copy(
                MemorySegment.ofArray(reply.content()),
                0,
                out.memory(),
                out.place().offset(),
                length);
        segmentOut.begin(out.memory(), out.place().offset());
        out.opened(false);
        out.unanswered(false);
        if (reply.protocol() == Ipv4Header.TCP) {
            segmentOut.header().wrap(out.memory(), out.place().offset());
            finish(reply.flow(), length, segmentOut.header().headerBytes(), 0);
        } else {
            out.finish(reply.flow(), reply.protocol(), length);
        }
        counters.packetsOut++;
    }

    /** Completes a segment that was written, with its checksum: RFC 9293 section 3.1 [2]. */
    private void finish(FlowKey key, int length, int headerBytes, int eachBytes) {
        boolean offloaded = carriage == Carriage.OFFLOADED;
        if (!summedByUdp) {
            long pseudo = encapsulated ? 0 : ip.pseudoHeader(key, length);
            int referred = segmentOut.referredBytes();
            int sum = offloaded
                    ? InternetChecksum.fold(pseudo)
                    : InternetChecksum.of(pseudo + out.sum(length - referred) + segmentOut.referredSum());
            segmentOut.header().checksum(sum);
        }
        out.finish(key, Ipv4Header.TCP, length, segmentOut.typeOfService());
        if (offloaded) {
            out.unfinished(ip.headerBytes() + headerBytes, eachBytes);
        }
    }

    /** Appends the packet that {@link #transmit} has written to a list, without its IP header. */
    void addTo(PacketList list) {
        int written = out.length() - ip.headerBytes() - segmentOut.referredBytes();
        int at = list.reserve(written);
        if (at == PacketList.FULL) {
            throw new IllegalStateException("the list is full: send it first");
        }
        MemorySegment.copy(out.memory(), out.place().offset(), list.slab().segment(), at, written);
        segmentOut.addPayload(list);
        boolean capable = segmentOut.typeOfService() != PacketPath.NOT_ECT;
        list.endPacket(capable ? out.flow().markableRoute() : out.flow().route(), 0);
    }

    /** Describes the data of the packet that {@link #transmit} has written and not copied, the last ones of it. */
    void outData(FrameData data) {
        segmentOut.describe(data);
    }

    /** Copies those data to the packet. */
    void completeOut() {
        segmentOut.complete();
    }

    /** The packet that {@link #transmit} has written. */
    public PacketOut out() {
        return out;
    }

    /** When to call {@link #onDeadline}, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return turns.nextDeadlineNs();
    }

    /** Whether {@link #transmit} may have a packet. */
    public boolean hasOutput() {
        return replies.any() || turns.anyOutput();
    }

    /** Time has passed: serves the deadlines that are due. */
    public void onDeadline(long timeNs) {
        nowNs = timeNs;
        TcpConnection due;
        while ((due = turns.due(timeNs)) != null) {
            due.onDeadline(timeNs);
            after(due);
        }
    }

    /** Ends the set-up of connections whose peer cannot be reached; others may still recover (RFC 9293 section 3.9.2.2 [note]). */
    void endSetUp(Predicate<FlowKey> concerned, TcpEnd reason) {
        connections.forEach(connection -> {
            if (connection.state() == TcpState.SYN_SENT && concerned.test(connection.key())) {
                connection.fail(reason);
                after(connection);
            }
        });
    }

    /** The host ends: peers of connections that are open learn it. Connections that are being closed have sent their FIN. */
    void abandon() {
        connections.forEach(connection -> {
            TcpState state = connection.state();
            if (state == TcpState.ESTABLISHED || state == TcpState.CLOSE_WAIT || state == TcpState.SYN_RECEIVED) {
                connection.release(true, nowNs);
                after(connection);
            }
        });
    }

    /** The carrier is gone: all connections end. */
    public void onCarrierLost() {
        connections.forEach(connection -> {
            connection.fail(TcpEnd.CARRIER);
            after(connection);
        });
    }

    // Connecting and listening.

    void connect(TcpLoop loop, Optional<SocketAddress> local, SocketAddress remote, StreamLoop.ConnectEvents events) {
        connector.connect(loop, local, remote, events);
    }

    void giveUpConnecting(StreamLoop.ConnectEvents events) {
        connector.giveUp(events);
    }

    /** The key of a new connection from a port to a peer; null if that port is in use for it. */
    @Nullable
    FlowKey freeKey(int port, IpAddress remote, int remotePort) {
        int path = encapsulated ? remotePort : 0;
        int ports = FlowKey.ports(port, remotePort);
        FlowKey key = new FlowKey(addressTo(remote), remote, ports, path);
        return connections.find(key) != null || listeners.has(port) ? null : key;
    }

    IpAddress address() {
        return address;
    }

    /** The address of this side on the way to another one; with encapsulation the system chooses it. */
    private IpAddress addressTo(IpAddress remote) {
        return encapsulated && !remote.isIpv4() ? IpAddress.UNSPECIFIED : address;
    }

    /** Whether segments to this address can be sent. With encapsulation the system has addresses of both versions of IP. */
    boolean reaches(IpAddress remote) {
        return encapsulated || remote.isIpv4() == address.isIpv4();
    }

    /** Whether it can be the address of a peer: RFC 9293 section 3.9.1.1 [6]. The loopback address is one for the system. */
    boolean mayConnectTo(IpAddress remote) {
        return remote.isUnicast() || encapsulated && remote.isLoopback();
    }

    /** Opens a connection: its SYN is sent in the next {@link #transmit}. */
    void open(FlowKey key, TcpStream stream) {
        after(create(key, true, choices.sequence(key, nowNs), stream));
    }

    StreamLoop.Acceptor listen(TcpLoop loop, SocketAddress local, int backlog, StreamLoop.AcceptEvents events)
            throws IOException {
        return listeners.open(loop, local, backlog, events);
    }
}
