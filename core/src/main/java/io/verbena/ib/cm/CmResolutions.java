package io.verbena.ib.cm;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.CmSidrRep;
import io.verbena.wire.ib.CmSidrReq;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Resolutions of datagram services (SIDR): those of this side until the peer answers, and those of peers until the
 * application answers. A resolution of a peer expires when the peer has stopped retrying, and their number is limited.
 */
final class CmResolutions {

    private static final int NOT_SUPPORTED = 1;
    private static final int NO_ANSWER = -1;

    private final CmAgent agent;
    private final CmPort port;
    private final CmMessage out = new CmMessage();
    private final Map<Integer, Own> own = new HashMap<>();
    private final Map<Integer, OfPeer> ofPeers = new HashMap<>();
    private final Map<Request, OfPeer> byRequest = new HashMap<>();

    /** The number of a request, which its sender assigned. */
    private record Request(int number, long addressHigh, long addressLow) {}

    /** A resolution of this side. */
    private final class Own extends CmTimer {
        final PacketPath peer;
        final byte[] bytes;
        int triesLeft = port.retries();

        Own(int id, PacketPath peer, byte[] bytes) {
            super(agent.timers(), id);
            this.peer = peer;
            this.bytes = bytes;
        }

        @Override
        void onDeadline(long nowNs) {
            if (triesLeft-- > 0) {
                deadline(Times.after(nowNs, port.responseTimeoutNs()));
                agent.send(peer, bytes);
            } else {
                own.remove(localId());
                agent.signal(new CmSignal.Resolved(localId(), NO_ANSWER, 0, 0, new byte[0]));
            }
        }
    }

    /** A resolution of a peer. */
    private final class OfPeer extends CmTimer {
        final PacketPath peer;
        final Request request;
        final long transaction;
        final long serviceId;

        OfPeer(PacketPath peer, Request request, long transaction, long serviceId) {
            super(agent.timers(), agent.unusedNumber());
            this.peer = peer;
            this.request = request;
            this.transaction = transaction;
            this.serviceId = serviceId;
        }

        @Override
        void onDeadline(long nowNs) {
            remove(this);
        }
    }

    CmResolutions(CmAgent agent, CmPort port) {
        this.agent = agent;
        this.port = port;
    }

    boolean has(int id) {
        return own.containsKey(id) || ofPeers.containsKey(id);
    }

    /** Number of resolutions. */
    int size() {
        return own.size() + ofPeers.size();
    }

    int request(long serviceId, int pKey, byte[] privateData, PacketPath to, long nowNs) {
        int id = agent.unusedNumber();
        CmMessage m =
                out.begin(CmMessage.SIDR_REQ, id & 0xffff_ffffL).extend(privateData, CmSidrReq.PRIVATE_DATA_BYTES);
        m.sidrReq().requestId(id).pKey(pKey).serviceId(serviceId).privateData(privateData);
        Own resolution = new Own(id, to, m.bytes());
        resolution.deadline(Times.after(nowNs, port.responseTimeoutNs()));
        own.put(id, resolution);
        agent.send(to, m.bytes());
        return id;
    }

    /** Answers a resolution of a peer. Returns false if it has expired or was answered. */
    boolean answer(int id, int status, int queuePair, int qKey, byte[] privateData) {
        Optional<OfPeer> found = Optional.ofNullable(ofPeers.get(id));
        found.ifPresent(answered -> {
            remove(answered);
            CmMessage m = reply(answered.transaction, answered.request.number(), answered.serviceId, status);
            m.extend(privateData, CmSidrRep.PRIVATE_DATA_BYTES);
            m.sidrRep().qpn(queuePair).qKey(qKey).privateData(privateData);
            agent.send(answered.peer, m.bytes());
        });
        return found.isPresent();
    }

    private void remove(OfPeer ended) {
        ended.deadline(Times.NEVER);
        ofPeers.remove(ended.localId());
        byRequest.remove(ended.request);
    }

    private CmMessage reply(long transaction, int request, long service, int status) {
        CmMessage m = out.begin(CmMessage.SIDR_REP, transaction);
        m.sidrRep().requestId(request).status(status).serviceId(service);
        return m;
    }

    void onMessage(CmMessage in, Origin origin, long nowNs) {
        if (in.attribute() == CmMessage.SIDR_REQ) {
            onRequest(in, origin, nowNs);
        } else {
            onAnswer(in, origin);
        }
    }

    private void onRequest(CmMessage in, Origin origin, long nowNs) {
        CmSidrReq req = in.sidrReq();
        Request request = new Request(req.requestId(), origin.sourceHigh(), origin.sourceLow());
        if (byRequest.containsKey(request)) {
            // A repeated request, which the application has received already.
            return;
        }
        PacketPath back = new PacketPath(
                origin.sourceHigh(), origin.sourceLow(), port.address().udpPort(), 0);
        if (agent.listener(req.serviceId()).isEmpty() || ofPeers.size() >= port.mostWaiting()) {
            agent.send(
                    back,
                    reply(in.transaction(), req.requestId(), req.serviceId(), NOT_SUPPORTED)
                            .bytes());
            return;
        }
        if (!agent.sources().admits(in, req.requestId(), origin, nowNs)) {
            return;
        }
        OfPeer resolution = new OfPeer(back, request, in.transaction(), req.serviceId());
        resolution.deadline(Times.after(nowNs, port.responseTimeoutNs() * (1L + port.statedRetries())));
        ofPeers.put(resolution.localId(), resolution);
        byRequest.put(request, resolution);
        agent.signal(new CmSignal.ResolutionRequested(
                resolution.localId(), back, req.serviceId(), in.extended(req.privateData())));
    }

    private void onAnswer(CmMessage in, Origin origin) {
        CmSidrRep rep = in.sidrRep();
        Optional<Own> found = Optional.ofNullable(own.get(rep.requestId())).filter(each -> origin.from(each.peer));
        found.ifPresent(answered -> {
            answered.deadline(Times.NEVER);
            own.remove(answered.localId());
            agent.signal(new CmSignal.Resolved(
                    answered.localId(), rep.status(), rep.qpn(), rep.qKey(), in.extended(rep.privateData())));
        });
    }
}
