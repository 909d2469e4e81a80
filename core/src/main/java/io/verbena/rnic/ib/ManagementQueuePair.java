package io.verbena.rnic.ib;

import io.verbena.base.Log;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.cm.CmAgent;
import io.verbena.ib.cm.CmAgent.Outgoing;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmPort;
import io.verbena.ib.cm.CmReject;
import io.verbena.ib.cm.CmSignal;
import io.verbena.ib.packet.ManagementPort;
import io.verbena.ib.packet.Origin;
import io.verbena.rnic.ib.port.PacketOutlet;
import io.verbena.rnic.ib.port.PortWait;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair 1 of a port: sends and receives the datagrams of communication management, and passes its signals to the
 * queue pairs, listeners and requests concerned. The engine calls every method unless it is marked "Any thread".
 */
final class ManagementQueuePair extends Endpoint {

    /** Receives the requests of peers for one port number. */
    interface Service {

        /** A peer requests a connection. */
        void onRequested(int request, PacketPath from, CmOffer offer, long nowNs);

        /** A peer requests the address of a datagram service. */
        void onLookUp(int resolution, PacketPath from, byte[] privateData, long nowNs);
    }

    private static final int ALTERNATE_LOADED = 0;
    private static final int ALTERNATE_REJECTED = 3;

    private final RnicEngine engine;
    private final PacketOutlet outlet;
    private final PortWait wait = new PortWait(this);
    private final CmAgent agent;
    private final ManagementPort datagrams = new ManagementPort();
    private final Map<Integer, CmParty> parties = new HashMap<>();
    private final Map<Integer, Consumer<CmSignal.Resolved>> lookUps = new HashMap<>();
    private final Map<Long, Service> services = new ConcurrentHashMap<>();
    private @Nullable Outgoing held;
    private boolean signalling;
    private final Runnable onIdle;
    private volatile boolean idle = true;
    private volatile boolean answersArrived = true;

    /** @param onIdle called when {@link #idle} or {@link #answersArrived} begins to hold */
    ManagementQueuePair(RnicEngine engine, PacketOutlet outlet, CmAgent agent, Runnable onIdle) {
        this.onIdle = onIdle;
        this.engine = engine;
        this.outlet = outlet;
        this.agent = agent;
    }

    // Listening.

    /** Accepts requests to a port number from now on; returns false if it already has a listener. Any thread. */
    boolean listen(int port, Service service) {
        if (services.putIfAbsent(CmListener.tcpService(port), service) != null) {
            return false;
        }
        long datagrams = CmListener.udpService(port);
        services.put(datagrams, service);
        agent.listen(CmListener.tcpService(port), CmListener.IP_AND_CONTEXTS);
        agent.listen(datagrams, CmListener.IP);
        return true;
    }

    /** Refuses requests to a port number from now on. Any thread. */
    void stopListening(int port) {
        long datagrams = CmListener.udpService(port);
        agent.stopListening(datagrams);
        agent.stopListening(CmListener.tcpService(port));
        services.remove(datagrams);
        services.remove(CmListener.tcpService(port));
    }

    // Datagram services.

    /** Requests the address of a datagram service. */
    void resolve(long serviceId, byte[] field, PacketPath to, Consumer<CmSignal.Resolved> answer) {
        long nowNs = engine.nowNs();
        lookUps.put(agent.resolve(serviceId, Bth.DEFAULT_P_KEY, field, to, nowNs), answer);
        pump(nowNs);
    }

    /** Answers such a request of a peer. */
    void answer(int resolution, int status, int queuePair, int qKey, byte[] field) {
        agent.answerResolution(resolution, status, queuePair, qKey, field);
        pump(engine.nowNs());
    }

    // Connections.

    /** Sends a request; returns the number of the connection. */
    int connect(CmOffer offer, PacketPath to, CmParty party, long nowNs) {
        int number = agent.connect(offer, to, nowNs);
        parties.put(number, party);
        pump(nowNs);
        return number;
    }

    /** Ends the connections of an earlier process. */
    void endEarlier() {
        agent.endEarlier(engine.nowNs());
        engine.ready(this);
    }

    /** Passes the signals about a request to a party from now on. */
    void attend(int number, CmParty party) {
        parties.put(number, party);
    }

    /** Passes no further signal about a connection. The protocol of its end continues. */
    void forget(int number) {
        parties.remove(number);
    }

    /** Accepts a request; returns false if it has ended. */
    boolean accept(int number, CmAnswer answer, CmParty party, long nowNs) {
        boolean accepted = agent.accept(number, answer, nowNs);
        if (accepted) {
            parties.put(number, party);
        }
        pump(nowNs);
        return accepted;
    }

    /** Rejects a request, or the reply to one. */
    void reject(int number, CmReject reason, byte[] privateData, long nowNs) {
        parties.remove(number);
        agent.reject(number, reason, privateData);
        pump(nowNs);
    }

    /** Rejects a request whose path MTU is larger than this one, so that the peer can repeat it with this one. */
    void rejectMtu(int number, int mtuCode, long nowNs) {
        parties.remove(number);
        agent.rejectMtu(number, mtuCode);
        pump(nowNs);
    }

    /** Confirms a reply. */
    void ready(int number, long nowNs) {
        agent.ready(number, new byte[0], nowNs);
        pump(nowNs);
    }

    /** Reports the first packet of the peer's queue pair, which shows that the peer is ready. */
    void dataCame(int number, long nowNs) {
        agent.dataCame(number, nowNs);
        pump(nowNs);
    }

    /** Ends a connection, or its set-up. */
    void disconnect(int number, long nowNs) {
        agent.disconnect(number, nowNs);
        pump(nowNs);
    }

    /** Proposes an alternate path of a connection, from the perspective of this side; returns false if the connection is ending. */
    boolean propose(int number, CmPort.Alternate path, long nowNs) {
        boolean proposed = agent.proposeAlternate(number, path, nowNs);
        pump(nowNs);
        return proposed;
    }

    // Packets.

    /** A packet for queue pair 1. While the port cannot send, it is dropped, as if it had been lost. */
    void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        if (ManagementPort.carries(packet) && !outlet.blocked()) {
            agent.onDatagram(segment, packet.payloadOffset(), packet.payloadBytes(), origin, nowNs);
            pump(nowNs);
        }
    }

    /** The network reports that it cannot deliver packets to a peer. */
    void onUnreachable(long addressHigh, long addressLow) {
        long nowNs = engine.nowNs();
        agent.onUnreachable(addressHigh, addressLow, nowNs);
        pump(nowNs);
    }

    /** Passes on all signals and sends all datagrams. */
    private void pump(long nowNs) {
        if (signalling) {
            return; // the outer call continues
        }
        signalling = true;
        try {
            for (Optional<CmSignal> each = agent.pollSignal(); each.isPresent(); each = agent.pollSignal()) {
                pass(each.get(), nowNs);
            }
        } finally {
            signalling = false;
        }
        send();
        engine.deadline(this, agent.nextDeadlineNs());
        reportIdle(held == null && agent.idle(), agent.answersArrived());
    }

    private void reportIdle(boolean nowIdle, boolean nowArrived) {
        boolean begins = nowIdle && !idle || nowArrived && !answersArrived;
        idle = nowIdle;
        answersArrived = nowArrived;
        if (begins) {
            onIdle.run();
        }
    }

    /** Whether all messages have left and all DREQs are answered. Any thread. */
    boolean idle() {
        return idle;
    }

    /** Whether no peer may repeat its DREQ because the answer was lost. Any thread. */
    boolean answersArrived() {
        return answersArrived;
    }

    private void send() {
        while (!outlet.defers(wait)) {
            Outgoing next = held != null ? held : agent.pollOutgoing().orElse(null);
            if (next == null) {
                return;
            }
            if (!outlet.send(out -> datagrams.build(out, next.to(), next.bytes()))) {
                held = next;
                return;
            }
            held = null;
        }
    }

    /** A bug in one party must not affect the others. */
    private void pass(CmSignal signal, long nowNs) {
        try {
            dispatch(signal, nowNs);
        } catch (Throwable e) {
            Log.bug("passing on a signal of communication management", e);
        }
    }

    private void dispatch(CmSignal signal, long nowNs) {
        if (signal instanceof CmSignal.Requested(int number, PacketPath from, CmOffer offer)) {
            Service service = services.get(offer.serviceId());
            if (service == null) {
                agent.reject(number, CmReject.INVALID_SERVICE_ID, new byte[0]);
            } else {
                service.onRequested(number, from, offer, nowNs);
            }
            return;
        }
        if (signal
                instanceof
                CmSignal.ResolutionRequested(int number, PacketPath from, long serviceId, byte[] privateData)) {
            Service service = services.get(serviceId);
            if (service != null) {
                service.onLookUp(number, from, privateData, nowNs);
            }
            return;
        }
        if (signal instanceof CmSignal.Resolved resolved) {
            Consumer<CmSignal.Resolved> waiting = lookUps.remove(resolved.connection());
            if (waiting != null) {
                waiting.accept(resolved);
            }
            return;
        }
        CmParty party = parties.get(signal.connection());
        if (party == null) {
            return;
        }
        switch (signal) {
            case CmSignal.AlternateProposed(int number, PacketPath path) ->
                party.onAlternateProposed(path, loaded -> {
                    agent.answerAlternate(number, loaded ? ALTERNATE_LOADED : ALTERNATE_REJECTED);
                    pump(engine.nowNs());
                });
            case CmSignal.AlternateAnswered(var _, int status) -> party.onAlternateAnswered(status);
            case CmSignal.Replied(var _, CmAnswer answer) -> party.onReplied(answer, nowNs);
            case CmSignal.Established(var _) -> party.onEstablished(nowNs);
            case CmSignal.Rejected(int number, int reason, byte[] info, byte[] privateData) -> {
                parties.remove(number);
                if (reason == CmReject.INVALID_MTU.code() && info.length > 0) {
                    party.onSmallerMtu(info[0]);
                } else {
                    party.onRejected(reason, privateData);
                }
            }
            case CmSignal.TimedOut(int number) -> {
                parties.remove(number);
                party.onTimedOut();
            }
            case CmSignal.Unreachable(int number) -> {
                parties.remove(number);
                party.onUnreachable();
            }
            case CmSignal.Disconnected(int number) -> {
                parties.remove(number);
                party.onDisconnected();
            }
            default -> {}
        }
    }

    // The engine.

    @Override
    protected void service(long nowNs) {
        pump(nowNs);
    }

    @Override
    protected void onDeadline(long nowNs) {
        if (Times.due(agent.nextDeadlineNs(), nowNs)) {
            agent.onDeadline(nowNs);
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        engine.leave(this);
    }

    @Override
    protected long stateDigest() {
        return agent.stateDigest();
    }
}
