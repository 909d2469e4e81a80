package io.verbena.ib.cm;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Communication management of one port as a pure engine. Inputs are datagrams and calls; outputs are datagrams ({@link
 * #pollOutgoing}) and signals ({@link #pollSignal}).
 *
 * <p>A connection is identified by a random number, which its peer must repeat, and by the address of its peer:
 * datagrams from other addresses are ignored. The number of requests that wait for the application is limited; further
 * requests are rejected. Source: InfiniBand architecture specification, volume 1, chapter 12.
 */
public final class CmAgent {

    /** A datagram to send to queue pair 1 of a peer. */
    public record Outgoing(PacketPath to, byte[] bytes) {}

    private static final int UNDELIVERED_REQUESTS = 2;

    /** Time-outs during which the RTU is repeated: twice, at growing intervals. */
    private static final int RTU_TIMEOUTS = 4;

    private final CmPort port;
    private final RandomSource random;
    private final CmPeers peers;
    private final CmResolutions resolutions;
    private final CmSources sources;
    private final CmMessage message = new CmMessage();
    private final CmRecord record;
    private final CmConnections connections;
    private final CmTimer.Index timers = new CmTimer.Index();
    private final Map<Long, CmListener> listeners = new ConcurrentHashMap<>();
    private final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>();
    private final ArrayDeque<CmSignal> signals = new ArrayDeque<>();

    /** The agent of a port. {@code random} supplies unpredictable numbers. */
    public CmAgent(CmPort port, RandomSource random) {
        this(port, random, CmRecord.none());
    }

    /** An agent that records its connections; see {@link #endEarlier}. */
    public CmAgent(CmPort port, RandomSource random, CmRecord record) {
        this.port = port;
        this.random = random;
        this.record = record;
        connections = new CmConnections(record);
        sources = new CmSources(this, port, random);
        peers = new CmPeers(this, port);
        resolutions = new CmResolutions(this, port);
    }

    // Calls of the application.

    /** Starts to signal requests to a service. Any thread. */
    public void listen(long serviceId, CmListener listener) {
        if (listeners.putIfAbsent(serviceId, listener) != null) {
            throw new IllegalStateException("service already has a listener: stop it first, or use another service");
        }
    }

    /** Stops listening: requests to the service are rejected. Any thread. */
    public void stopListening(long serviceId) {
        listeners.remove(serviceId);
    }

    Optional<CmListener> listener(long serviceId) {
        return Optional.ofNullable(listeners.get(serviceId));
    }

    /** Requests a connection to a service. Returns the number of the connection. */
    public int connect(CmOffer offer, PacketPath to, long nowNs) {
        CmConnection connection = add(true, to);
        connection.on(CmEvent.CONNECT);
        connection.transaction(random.nextLong());
        connection.transportService(offer.transportService());
        connection.localQueuePair(offer.endpoint().queuePair());
        connection.ackTimeoutCode(offer.retries().ackTimeoutCode());
        byte[] request = peers.request(connection, offer);
        send(connection, request);
        connection.repeat(request, port.responseTimeoutNs(), port.retries(), nowNs);
        return connection.localId();
    }

    /** Accepts a request. Returns false if the connection has ended already, as its signals report. */
    public boolean accept(int connection, CmAnswer answer, long nowNs) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        c.on(CmEvent.ACCEPT);
        c.localQueuePair(answer.endpoint().queuePair());
        byte[] reply = peers.reply(c, answer);
        send(c, reply);
        c.repeat(reply, port.responseTimeoutNs(), port.retries(), nowNs);
        return true;
    }

    /**
     * Rejects a request or reply, or abandons a request of this side. Returns false if the connection has ended
     * already.
     */
    public boolean reject(int connection, CmReject reason, byte[] privateData) {
        return reject(connection, reason, new byte[0], privateData);
    }

    /**
     * Rejects a request whose path MTU is larger than this one. The message states this one, and the peer can repeat its request
     * with it. Returns false if the connection has ended already.
     */
    public boolean rejectMtu(int connection, int mtuCode) {
        return reject(connection, CmReject.INVALID_MTU, new byte[] {(byte) mtuCode}, new byte[0]);
    }

    private boolean reject(int connection, CmReject reason, byte[] info, byte[] privateData) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        int about = aboutMessage(c.state());
        if (c.on(CmEvent.REJECT)) {
            sendRejection(c, peers.reject(c, about, reason, info, privateData));
            remove(c);
        }
        return true;
    }

    /** Sends a REJ. If it ends a request of the peer, it is kept: the peer repeats a request whose answer was lost, and gets this one again. */
    private void sendRejection(CmConnection c, byte[] rejection) {
        send(c, rejection);
        if (!c.active()) {
            connections.rejected(c, rejection);
        }
    }

    /** The message that a REJ or MRA refers to: 0 REQ, 1 REP, 2 none. */
    private static int aboutMessage(CmState state) {
        return switch (state) {
            case REQ_RCVD, MRA_REQ_SENT -> 0;
            case REP_RCVD, MRA_REP_SENT -> 1;
            default -> 2;
        };
    }

    /**
     * Requests more time for the answer from the peer: 4.096 µs times 2 to {@code timeoutCode}. Returns false if the
     * connection has ended already.
     */
    public boolean delay(int connection, int timeoutCode, long nowNs) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        int about = aboutMessage(c.state());
        if (c.on(CmEvent.DELAY)) {
            byte[] mra = peers.delay(c, about, timeoutCode);
            send(c, mra);
            c.keep(mra);
            c.until(Times.after(nowNs, CmConnection.timeNs(timeoutCode)));
        }
        return true;
    }

    /** Confirms a reply: the connection is established. Returns false if the connection has ended already. */
    public boolean ready(int connection, byte[] privateData, long nowNs) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        if (c.on(CmEvent.READY)) {
            byte[] rtu = peers.ready(c, privateData);
            send(c, rtu);
            c.confirmation(rtu);
            // A peer that does not know the address of this side repeats its REP twice only.
            c.repeat(rtu, port.responseTimeoutNs(), RTU_TIMEOUTS, nowNs);
            signals.add(new CmSignal.Established(connection));
        }
        return true;
    }

    /**
     * Reports the first packet of the peer's queue pair (COMMUNICATION_ESTABLISHED). Returns false if the connection
     * has ended.
     */
    public boolean dataCame(int connection, long nowNs) {
        Optional<CmConnection> found = connections.find(connection);
        found.filter(c -> c.on(CmEvent.DATA_RECEIVED)).ifPresent(c -> established(c, nowNs));
        return found.isPresent();
    }

    void established(CmConnection c, long nowNs) {
        c.confirmed();
        sources.onConfirmed(c.path(), nowNs);
        c.keep(c.unanswered());
        signals.add(new CmSignal.Established(c.localId()));
    }

    /** Ends a connection, or an attempt to connect. Returns false if the connection has ended already. */
    public boolean disconnect(int connection, long nowNs) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        disconnect(c, nowNs);
        return true;
    }

    void disconnect(CmConnection c, long nowNs) {
        CmState before = c.state();
        if (!c.on(CmEvent.DISCONNECT)) {
            return;
        }
        if (c.state() == CmState.DREQ_SENT) {
            requestEnd(c, nowNs);
        } else {
            if (before != CmState.IDLE) {
                // A peer whose number is not known yet recognizes its request by this reason only, as Linux does.
                boolean asked = before == CmState.REQ_SENT || before == CmState.MRA_REQ_RCVD;
                CmReject reason = asked ? CmReject.TIMEOUT : CmReject.CONSUMER;
                sendRejection(c, peers.reject(c, aboutMessage(before), reason, new byte[0]));
            }
            remove(c);
        }
    }

    /** Ends the recorded connections that an earlier process left. Their peers notice that at once, and can connect again. */
    public void endEarlier(long nowNs) {
        for (CmRecord.Entry each : record.takeEarlier()) {
            PacketPath to = new PacketPath(
                    each.addressHigh(), each.addressLow(), port.address().udpPort(), 0);
            CmConnection c = new CmConnection(this, connections, each.localId(), true, to);
            connections.add(c);
            c.peer(each.remoteId(), 0, each.remoteQueuePair());
            c.on(CmEvent.RESTARTED);
            requestEnd(c, nowNs);
        }
    }

    private void requestEnd(CmConnection c, long nowNs) {
        c.transaction(random.nextLong());
        byte[] request = peers.disconnectRequest(c);
        send(c, request);
        // The process may end soon after this call. If the DREQ is lost until then, the peer keeps the connection.
        c.repeatSoon(request, port.responseTimeoutNs(), port.statedRetries(), nowNs);
    }

    /**
     * Proposes an alternate path to the peer of an established connection. The path is given from the perspective of
     * this side. Returns false if the connection is not established, or no more.
     */
    public boolean proposeAlternate(int connection, CmPort.Alternate path, long nowNs) {
        Optional<CmConnection> found = connections.find(connection).filter(each -> each.state() == CmState.ESTABLISHED);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        if (c.alternateProposed()) {
            throw new IllegalStateException("the peer has not answered the last proposal: propose one path at a time");
        }
        long transaction = random.nextLong();
        c.propose(transaction);
        byte[] proposal = peers.proposal(c, transaction, path);
        send(c, proposal);
        c.repeat(proposal, port.responseTimeoutNs(), port.statedRetries(), nowNs);
        return true;
    }

    /** Answers a proposal: 0 if the path is loaded, 3 if it is rejected. Returns false if the connection has ended. */
    public boolean answerAlternate(int connection, int status) {
        Optional<CmConnection> found = connections.find(connection);
        if (found.isEmpty()) {
            return false;
        }
        CmConnection c = found.get();
        byte[] answer = peers.alternateAnswer(c, c.alternateTransaction(), status);
        c.alternateAnswer(c.alternateTransaction(), answer);
        send(c, answer);
        return true;
    }

    /** Requests the datagram queue pair of a service. Returns the number of the resolution. */
    public int resolve(long serviceId, int pKey, byte[] privateData, PacketPath to, long nowNs) {
        return resolutions.request(serviceId, pKey, privateData, to, nowNs);
    }

    /**
     * Answers a resolution request: status 0 with a queue pair and its Q_Key, or 1 or 2 to reject it. Returns false if
     * it has expired.
     */
    public boolean answerResolution(int resolution, int status, int queuePair, int qKey, byte[] privateData) {
        return resolutions.answer(resolution, status, queuePair, qKey, privateData);
    }

    // Datagrams.

    /** Processes a datagram that arrived at queue pair 1. Throws no exception, whatever its content. */
    public void onDatagram(MemorySegment segment, long offset, int length, Origin origin, long nowNs) {
        if (!message.read(segment, offset, length)) {
            return;
        }
        switch (message.attribute()) {
            case CmMessage.SIDR_REQ, CmMessage.SIDR_REP -> resolutions.onMessage(message, origin, nowNs);
            default -> peers.onMessage(message, origin, nowNs);
        }
    }

    /** Processes a datagram that was held. */
    void resume(byte[] bytes, Origin origin, long nowNs) {
        onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, origin, nowNs);
    }

    /**
     * The network reports that it cannot deliver packets to the port of a peer. The report can be forged: it ends only what
     * waits for an answer of that peer. A request is reported as refused if two copies of it were not delivered.
     */
    public void onUnreachable(long addressHigh, long addressLow, long nowNs) {
        for (CmTimer each : timers.pending()) {
            if (each instanceof CmConnection c
                    && c.path().addressHigh() == addressHigh
                    && c.path().addressLow() == addressLow) {
                unreachable(c, nowNs);
            }
        }
    }

    private void unreachable(CmConnection c, long nowNs) {
        if (c.state() == CmState.DREQ_SENT) {
            c.on(CmEvent.EXPIRED);
            timeWait(c, nowNs);
        } else if (c.state() == CmState.REQ_SENT && c.reportUnreachable() == UNDELIVERED_REQUESTS) {
            c.on(CmEvent.EXPIRED);
            send(c, peers.reject(c, aboutMessage(CmState.REQ_SENT), CmReject.TIMEOUT, new byte[0]));
            signals.add(new CmSignal.Unreachable(c.localId()));
            remove(c);
        }
    }

    // Time.

    /** The time at which {@link #onDeadline} is due, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return timers.nextDeadlineNs();
    }

    /** Processes deadlines that have passed. */
    public void onDeadline(long nowNs) {
        timers.expired(nowNs).forEach(each -> each.onDeadline(nowNs));
    }

    void onDeadline(CmConnection c, long nowNs) {
        if (c.again(nowNs)) {
            send(c, c.unanswered());
            return;
        }
        CmState before = c.state();
        c.on(CmEvent.EXPIRED);
        switch (before) {
            case ESTABLISHED -> {
                if (c.alternateProposed()) {
                    c.proposalEnded();
                    signals.add(new CmSignal.AlternateAnswered(c.localId(), -1));
                }
            }
            case DREQ_SENT -> timeWait(c, nowNs);
            case TIMEWAIT -> {
                signals.add(new CmSignal.Over(c.localId()));
                remove(c);
            }
            default -> {
                byte[] rejection = peers.reject(c, aboutMessage(before), CmReject.TIMEOUT, new byte[0]);
                if (before == CmState.REQ_RCVD || before == CmState.MRA_REQ_SENT) {
                    sendRejection(c, rejection);
                } else {
                    // A peer that has not received the REP in time may ask once more.
                    send(c, rejection);
                }
                signals.add(new CmSignal.TimedOut(c.localId()));
                remove(c);
            }
        }
    }

    /** The connection has ended. Its numbers are not reused during TIMEWAIT. */
    void timeWait(CmConnection c, long nowNs) {
        c.until(Times.after(nowNs, c.timeWaitNs()));
        signals.add(new CmSignal.Disconnected(c.localId()));
    }

    // Output.

    /** The next datagram to send, if any. */
    public Optional<Outgoing> pollOutgoing() {
        return Optional.ofNullable(outgoing.pollFirst());
    }

    /** The next signal, if any. */
    public Optional<CmSignal> pollSignal() {
        return Optional.ofNullable(signals.pollFirst());
    }

    /** Sends a message, unless the peer has received more than its unproven address may cause. It then repeats its own message. */
    void send(CmConnection c, byte[] bytes) {
        if (c.maySend(bytes.length)) {
            send(c.path(), bytes);
        }
    }

    void send(PacketPath to, byte[] bytes) {
        outgoing.add(new Outgoing(to, bytes));
    }

    void signal(CmSignal signal) {
        signals.add(signal);
    }

    /** Whether no peer may repeat its DREQ because the answer was lost. */
    public boolean answersArrived() {
        return connections.unsure() == 0;
    }

    // Connections.

    CmConnection add(boolean active, PacketPath path) {
        CmConnection connection = new CmConnection(this, connections, unusedNumber(), active, path);
        connections.add(connection);
        return connection;
    }

    /** A number that no connection and no resolution uses. */
    int unusedNumber() {
        int id = random.nextInt();
        while (id == 0 || connections.find(id).isPresent() || resolutions.has(id)) {
            id = random.nextInt();
        }
        return id;
    }

    void remove(CmConnection c) {
        c.deadline(Times.NEVER);
        connections.remove(c);
    }

    Optional<CmConnection> find(int localId) {
        return connections.find(localId);
    }

    CmConnections connections() {
        return connections;
    }

    CmSources sources() {
        return sources;
    }

    CmTimer.Index timers() {
        return timers;
    }

    /** Whether nothing is to be sent and all DREQs are answered. */
    public boolean idle() {
        return outgoing.isEmpty() && connections.parting() == 0;
    }

    /** Number of connections in any state. */
    public int size() {
        return connections.size();
    }

    /** Digest of the complete state. */
    public long stateDigest() {
        long d = sources.stateDigest(Digest.mix(outgoing.size(), signals.size()));
        for (CmConnection each : connections.all()) {
            d = each.stateDigest(d);
        }
        return d;
    }
}
