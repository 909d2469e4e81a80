package io.verbena.tcp;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.StreamLoop;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A host with one IPv4 address: connections, listeners, and the way of packets between them and a carrier. A pure state machine; one
 * thread at a time uses it, except {@link StreamLoop#listen} and closing a listener.
 *
 * <pre>
 *   carrier --> {@link #onPacket} --> connection --> {@link TcpLoop#report} --> owner
 *   carrier <-- {@link #transmit} <-- connection <-- {@link TcpStream} <------- owner
 * </pre>
 *
 * <p>A carrier delivers whole IP packets, or with encapsulation TCP segments and the address and UDP port from which they came. With
 * encapsulation the checksum of UDP protects the segment, and the addresses that the peer sees may differ (NAT), so the TCP
 * checksum then covers no pseudo-header.
 */
public final class TcpHost {

    /** Most connections; further ones are refused. */
    private static final int MOST_CONNECTIONS = 65_536;

    /** Most connections in TIME-WAIT; the oldest one ends early. */
    private static final int MOST_WAITING = 4096;

    private final TcpSettings settings;
    private final int address;
    private final Carriage carriage;
    private final boolean encapsulated;

    /** Whether the checksum of UDP is verified, so that the one of TCP is neither computed nor verified. */
    private final boolean summedByUdp;

    private final Choices choices;
    private final ConnectionBuffers buffers;
    private final FlowTable connections = new FlowTable();
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final Deque<TcpConnection> outputs = new ArrayDeque<>();
    private final Deque<TcpConnection> waiting = new ArrayDeque<>();
    private final Connector connector;
    private final Map<Integer, TcpListener> listeners = new ConcurrentHashMap<>();
    private final Replies replies;
    private final IcmpInput icmp;
    private final SegmentIn in = new SegmentIn();
    private final SegmentOut segmentOut = new SegmentOut();
    private final Ipv4Header ip = new Ipv4Header();
    private final PacketOut out;
    private final TcpCounters counters = new TcpCounters();
    private final Deque<TcpConnection> borrowers = new ArrayDeque<>();
    private final CarrierLimits limits = new CarrierLimits();
    private int identification;
    private long nowNs;

    /**
     * Creates a host.
     *
     * @param address its IPv4 address; the wildcard address with encapsulation
     * @param encapsulated whether the carrier encapsulates segments in UDP
     * @param random source of what must be unpredictable
     */
    public TcpHost(TcpSettings settings, InetAddress address, boolean encapsulated, RandomSource random, long nowNs) {
        this(settings, FlowKey.number(address), encapsulated ? Carriage.UDP : Carriage.PACKETS, random, nowNs);
    }

    /** A host whose segments are encapsulated in UDP, whose checksum the carrier may verify. */
    static TcpHost overUdp(TcpSettings settings, boolean summedByUdp, RandomSource random, long nowNs) {
        TcpHost host = new TcpHost(settings, 0, summedByUdp ? Carriage.SUMMED_UDP : Carriage.UDP, random, nowNs);
        host.segmentOut.gathers();
        return host;
    }

    TcpHost(TcpSettings settings, int address, Carriage carriage, RandomSource random, long nowNs) {
        this.settings = settings;
        this.address = address;
        this.carriage = carriage;
        this.encapsulated = carriage == Carriage.UDP || carriage == Carriage.SUMMED_UDP;
        this.summedByUdp = carriage == Carriage.SUMMED_UDP;
        this.choices = new Choices(random);
        this.connector = new Connector(this, choices);
        this.buffers = new ConnectionBuffers(
                new BufferPool(settings.sendBytes()), new BufferPool(settings.receiveBytes() + ReceiveRing.TAIL));
        this.out = new PacketOut(carriage == Carriage.OFFLOADED ? TcpSettings.MOST_MTU : settings.mtu());
        this.segmentOut.together(carriage == Carriage.OFFLOADED ? TcpSettings.MOST_MTU - Ipv4Header.LENGTH : 0);
        this.identification = choices.identification();
        this.replies = new Replies(settings.mtu() - Ipv4Header.LENGTH);
        this.icmp = new IcmpInput(connections, replies);
        this.nowNs = nowNs;
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
        return listeners.containsKey(localPort) || connections.has(localPort);
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
        nowNs = timeNs;
        counters.packetsIn++;
        Ipv4Header.Check check = ip.wrap(memory, from).check((int) (to - from));
        // RFC 9293 section 3.9.2.3 [1, 2]: segments for or from a broadcast or multicast address are dropped without an
        // answer.
        if (check != Ipv4Header.Check.OK || ip.destination() != address || !isUnicast(ip.source())) {
            counters.packetsDropped++;
            return;
        }
        long content = from + ip.headerBytes();
        long end = from + ip.totalLength();
        if (ip.protocol() == Ipv4Header.ICMP) {
            TcpConnection touched = icmp.onMessage(memory, content, end, ip.source(), address);
            if (touched != null) {
                after(touched);
            }
        } else if (ip.protocol() == Ipv4Header.TCP) {
            long sum = verified
                    ? 0xffff
                    : InternetChecksum.pseudoHeader(ip.source(), address, Ipv4Header.TCP, (int) (end - content))
                            + InternetChecksum.sum(memory, content, end - content);
            // RFC 9293 section 3.1 [3]: a segment with a wrong checksum is dropped.
            if (InternetChecksum.intact(sum)) {
                in.typeOfService(ip.typeOfService());
                onSegment(memory, content, end, ip.source(), 0);
            } else {
                counters.checksumErrors++;
            }
        }
    }

    /**
     * An encapsulated segment has arrived from an address and a UDP port. The carrier lends its memory until {@link #settle}.
     */
    void onEncapsulated(Slab memory, int from, int to, int remote, int remoteUdpPort, long timeNs) {
        nowNs = timeNs;
        counters.packetsIn++;
        if (!summedByUdp && !InternetChecksum.intact(InternetChecksum.sum(memory.segment(), from, to - from))) {
            counters.checksumErrors++;
            return;
        }
        in.lend(memory);
        onSegment(memory.segment(), from, to, remote, remoteUdpPort);
    }

    /** The ECN bits of the next encapsulated segment. */
    void typeOfService(int value) {
        in.typeOfService(value);
    }

    /** The carrier will use its memory again: data that the owners have not taken is copied. */
    void settle() {
        while (!borrowers.isEmpty()) {
            TcpConnection connection = borrowers.removeFirst();
            connection.borrows = false;
            connection.receiver().settle();
        }
    }

    static boolean isUnicast(int address) {
        int first = address >>> 24;
        return first != 0 && first < 224;
    }

    private void onSegment(MemorySegment memory, long from, long to, int remote, int path) {
        if (!in.wrap(memory, from, to)) {
            counters.packetsDropped++;
            return;
        }
        TcpHeader header = in.header();
        int ports = FlowKey.ports(header.destinationPort(), header.sourcePort());
        counters.segmentsIn++;
        TcpConnection connection = connections.find(address, remote, ports, path);
        if (connection != null) {
            SegmentRules.Verdict verdict = SegmentRules.onSegment(connection, in, nowNs);
            if (connection.receiver().borrows() && !connection.borrows) {
                connection.borrows = true;
                borrowers.addLast(connection);
            }
            if (verdict == SegmentRules.Verdict.RESET) {
                reset(connection.key());
            }
            after(connection);
            if (verdict != SegmentRules.Verdict.REUSE) {
                return;
            }
            forget(connection);
        }
        onSegmentOfNoConnection(new FlowKey(address, remote, ports, path));
    }

    /** RFC 9293 sections 3.10.7.1 and 3.10.7.2 [note]: CLOSED and LISTEN. */
    private void onSegmentOfNoConnection(FlowKey key) {
        TcpListener listener = listeners.get(key.localPort());
        if (in.has(TcpHeader.RST)) {
            return;
        }
        if (listener == null || in.has(TcpHeader.ACK)) {
            reset(key);
            return;
        }
        if (!in.has(TcpHeader.SYN) || in.has(TcpHeader.FIN)) {
            return;
        }
        if (!listener.accepts() || connections.count() >= MOST_CONNECTIONS) {
            counters.synsDropped++;
            return;
        }
        listener.opening();
        TcpStream stream = new TcpStream(this, listener);
        TcpConnection connection = create(key, false, stream);
        connection.onPeerSyn(in, nowNs);
        after(connection);
    }

    private TcpConnection create(FlowKey key, boolean connects, TcpStream stream) {
        OpeningNumbers opening = new OpeningNumbers(
                connects,
                choices.sequence(key, nowNs),
                choices.timestamp(key),
                settings.features().ecn() && limits.showsMarks());
        TcpConnection connection = new TcpConnection(key, settings, buffers, opening, stream);
        connection.pathMtu(limits.mtuTo(key.remote()));
        connection.receiver().limit(limits.window(connections.count()));
        stream.connection(connection);
        connections.add(connection);
        return connection;
    }

    /** Answers the current segment with a reset (RFC 9293 section 3.5.2 [note]). */
    private void reset(FlowKey key) {
        if (in.has(TcpHeader.RST)) {
            return;
        }
        counters.resetsOut++;
        boolean acknowledges = in.has(TcpHeader.ACK);
        int sequence = acknowledges ? in.header().acknowledgment() : 0;
        int acknowledgment = acknowledges ? 0 : in.header().sequence() + in.sequenceLength();
        segmentOut.begin(out.memory(), out.place().offset());
        int flags = acknowledges ? TcpHeader.RST : TcpHeader.RST | TcpHeader.ACK;
        segmentOut.header(key.ports(), sequence, acknowledgment, flags, 0);
        replies.add(key, Ipv4Header.TCP, out.memory(), out.place().offset(), segmentOut.length());
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
        deadlines.update(connection, connection.closed() ? Times.NEVER : connection.nextDeadlineNs());
        if (!connection.inOutputQueue) {
            connection.inOutputQueue = true;
            outputs.addLast(connection);
        }
        if (connection.state() == TcpState.TIME_WAIT && !connection.counted) {
            connection.counted = true;
            waiting.addLast(connection);
            if (waiting.size() > MOST_WAITING) {
                forget(waiting.removeFirst());
            }
        }
    }

    private void forget(TcpConnection connection) {
        deadlines.update(connection, Times.NEVER);
        if (connections.find(connection) == connection) {
            connections.remove(connection);
        }
        if (connection.counted) {
            connection.counted = false;
            waiting.remove(connection);
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
        while (!outputs.isEmpty()) {
            TcpConnection connection = outputs.removeFirst();
            connection.inOutputQueue = false;
            connection.receiver().limit(limits.window(connections.count()));
            if (connection.transmit(segmentOut, out.place(), timeNs)) {
                finish(connection.key(), segmentOut.length(), segmentOut.headerBytes(), segmentOut.eachBytes());
                counters.packetsOut++;
                counters.segmentsOut++;
                after(connection);
                return true;
            }
            deadlines.update(connection, connection.closed() ? Times.NEVER : connection.nextDeadlineNs());
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
        if (reply.protocol() == Ipv4Header.TCP) {
            segmentOut.header().wrap(out.memory(), out.place().offset());
            finish(reply.flow(), length, TcpHeader.LENGTH, 0);
        } else {
            out.finish(reply.flow(), reply.protocol(), length, identification++ & 0xffff);
        }
        counters.packetsOut++;
    }

    /** Completes a segment that was written, with its checksum: RFC 9293 section 3.1 [2]. */
    private void finish(FlowKey key, int length, int headerBytes, int eachBytes) {
        boolean offloaded = carriage == Carriage.OFFLOADED;
        if (!summedByUdp) {
            long pseudo =
                    encapsulated ? 0 : InternetChecksum.pseudoHeader(key.local(), key.remote(), Ipv4Header.TCP, length);
            int referred = segmentOut.referredBytes();
            int sum = offloaded
                    ? InternetChecksum.fold(pseudo)
                    : InternetChecksum.of(pseudo + out.sum(length - referred) + segmentOut.referredSum());
            segmentOut.header().checksum(sum);
        }
        out.finish(key, Ipv4Header.TCP, length, identification++ & 0xffff, segmentOut.typeOfService());
        if (offloaded) {
            out.unfinished(Ipv4Header.LENGTH + headerBytes, eachBytes);
        }
    }

    /** Appends the packet that {@link #transmit} has written to a list, without its IP header. */
    void addTo(PacketList list) {
        int written = out.length() - Ipv4Header.LENGTH - segmentOut.referredBytes();
        int at = list.reserve(written);
        if (at == PacketList.FULL) {
            throw new IllegalStateException("the list is full: send it first");
        }
        MemorySegment.copy(out.memory(), out.place().offset(), list.slab().segment(), at, written);
        segmentOut.addPayload(list);
        boolean capable = segmentOut.typeOfService() != PacketPath.NOT_ECT;
        list.endPacket(capable ? out.flow().markableRoute() : out.flow().route(), 0);
    }

    /** The packet that {@link #transmit} has written. */
    public PacketOut out() {
        return out;
    }

    /** When to call {@link #onDeadline}, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return deadlines.nextNs();
    }

    /** Whether {@link #transmit} may have a packet. */
    public boolean hasOutput() {
        return replies.any() || !outputs.isEmpty();
    }

    /** Time has passed: serves the deadlines that are due. */
    public void onDeadline(long timeNs) {
        nowNs = timeNs;
        TcpConnection due;
        while ((due = deadlines.due(timeNs)) != null) {
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
    FlowKey freeKey(int port, int remote, int remotePort) {
        int path = encapsulated ? remotePort : 0;
        int ports = FlowKey.ports(port, remotePort);
        boolean taken = connections.find(address, remote, ports, path) != null || listeners.containsKey(port);
        return taken ? null : new FlowKey(address, remote, ports, path);
    }

    int address() {
        return address;
    }

    /** Opens a connection: its SYN is sent in the next {@link #transmit}. */
    void open(FlowKey key, TcpStream stream) {
        after(create(key, true, stream));
    }

    StreamLoop.Acceptor listen(TcpLoop loop, SocketAddress local, int backlog, StreamLoop.AcceptEvents events)
            throws IOException {
        if (!(local instanceof InetSocketAddress wanted) || wanted.isUnresolved()) {
            throw new IOException("not an address that can be listened at: " + local);
        }
        boolean any = wanted.getAddress().isAnyLocalAddress();
        if (!any && FlowKey.number(wanted.getAddress()) != address && !encapsulated) {
            throw new IOException("Cannot assign requested address: the TCP of this process has "
                    + FlowKey.inet(address).getHostAddress() + ", not " + local);
        }
        int port = wanted.getPort() == 0 ? choices.port() : wanted.getPort();
        InetAddress shown = any || encapsulated ? wanted.getAddress() : FlowKey.inet(address);
        TcpListener listener = new TcpListener(
                new InetSocketAddress(shown, port), loop, backlog, events, each -> listeners.remove(port, each));
        if (listeners.putIfAbsent(port, listener) != null) {
            throw new IOException("Address already in use: " + local);
        }
        return listener;
    }
}
