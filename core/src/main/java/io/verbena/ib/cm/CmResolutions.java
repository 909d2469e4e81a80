package io.verbena.ib.cm;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.Origin;
import io.verbena.wire.ib.CmSidrRep;
import io.verbena.wire.ib.CmSidrReq;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Resolutions of datagram services (SIDR): those of this side until the peer answers, and those of peers until the
 * application answers.
 */
final class CmResolutions {

    private static final int NOT_SUPPORTED = 1;

    private final CmAgent agent;
    private final CmPort port;
    private final CmMessage out = new CmMessage();
    private final Map<Integer, Resolution> resolutions = new LinkedHashMap<>();

    /** A resolution. For one of a peer, {@code request} is the peer's number and {@code bytes} is empty. */
    private static final class Resolution {
        final int id;
        final PacketPath peer;
        final int request;
        final long transaction;
        final long serviceId;
        final byte[] bytes;
        int triesLeft;
        long deadlineNs = Times.NEVER;

        Resolution(int id, PacketPath peer, int request, long transaction, long serviceId, byte[] bytes) {
            this.id = id;
            this.peer = peer;
            this.request = request;
            this.transaction = transaction;
            this.serviceId = serviceId;
            this.bytes = bytes;
        }

        boolean ours() {
            return bytes.length > 0;
        }
    }

    CmResolutions(CmAgent agent, CmPort port) {
        this.agent = agent;
        this.port = port;
    }

    boolean has(int id) {
        return resolutions.containsKey(id);
    }

    int ask(long serviceId, int pKey, byte[] privateData, PacketPath to, long nowNs) {
        int id = agent.unusedNumber();
        CmMessage m = out.begin(CmMessage.SIDR_REQ, id & 0xffff_ffffL);
        m.sidrReq().requestId(id).pKey(pKey).serviceId(serviceId).privateData(privateData);
        Resolution resolution = new Resolution(id, to, id, id & 0xffff_ffffL, serviceId, m.bytes());
        resolution.triesLeft = port.retries();
        resolution.deadlineNs = Times.after(nowNs, port.responseTimeoutNs());
        resolutions.put(id, resolution);
        agent.send(to, m.bytes());
        return id;
    }

    void answer(int id, int status, int queuePair, int qKey, byte[] privateData) {
        Resolution resolution = resolutions.get(id);
        if (resolution == null || resolution.ours()) {
            throw new IllegalStateException("no resolution " + id + " of a peer waits for an answer");
        }
        resolutions.remove(id);
        agent.send(
                resolution.peer,
                reply(
                        resolution.transaction,
                        resolution.request,
                        resolution.serviceId,
                        status,
                        queuePair,
                        qKey,
                        privateData));
    }

    private byte[] reply(
            long transaction, int request, long service, int status, int queuePair, int qKey, byte[] privateData) {
        CmMessage m = out.begin(CmMessage.SIDR_REP, transaction);
        m.sidrRep()
                .requestId(request)
                .status(status)
                .qpn(queuePair)
                .serviceId(service)
                .qKey(qKey)
                .privateData(privateData);
        return m.bytes();
    }

    void onMessage(CmMessage in, Origin origin) {
        if (in.attribute() == CmMessage.SIDR_REQ) {
            onRequest(in, origin);
        } else {
            onAnswer(in.sidrRep(), origin);
        }
    }

    private void onRequest(CmMessage in, Origin origin) {
        CmSidrReq req = in.sidrReq();
        for (Resolution each : resolutions.values()) {
            if (!each.ours() && each.request == req.requestId() && origin.from(each.peer)) {
                // A repeated request, which the application has received already.
                return;
            }
        }
        PacketPath back = new PacketPath(origin.sourceHigh(), origin.sourceLow(), port.udpPort(), 0);
        Optional<CmListener> listener = agent.listener(req.serviceId());
        if (listener.isEmpty() || resolutions.size() >= port.mostWaiting()) {
            agent.send(
                    back, reply(in.transaction(), req.requestId(), req.serviceId(), NOT_SUPPORTED, 0, 0, new byte[0]));
            return;
        }
        int id = agent.unusedNumber();
        resolutions.put(id, new Resolution(id, back, req.requestId(), in.transaction(), req.serviceId(), new byte[0]));
        agent.signal(new CmSignal.ResolutionRequested(id, back, req.serviceId(), req.privateData()));
    }

    private void onAnswer(CmSidrRep rep, Origin origin) {
        Resolution resolution = resolutions.get(rep.requestId());
        if (resolution != null && resolution.ours() && origin.from(resolution.peer)) {
            resolutions.remove(resolution.id);
            agent.signal(new CmSignal.Resolved(resolution.id, rep.status(), rep.qpn(), rep.qKey(), rep.privateData()));
        }
    }

    long nextDeadlineNs() {
        long earliest = Times.NEVER;
        for (Resolution each : resolutions.values()) {
            earliest = Times.earlier(earliest, each.deadlineNs);
        }
        return earliest;
    }

    void onDeadline(long nowNs) {
        List<Resolution> due = new ArrayList<>();
        for (Resolution each : resolutions.values()) {
            if (Times.due(each.deadlineNs, nowNs)) {
                due.add(each);
            }
        }
        for (Resolution each : due) {
            if (each.triesLeft-- > 0) {
                each.deadlineNs = Times.after(nowNs, port.responseTimeoutNs());
                agent.send(each.peer, each.bytes);
            } else {
                resolutions.remove(each.id);
                agent.signal(new CmSignal.Resolved(each.id, -1, 0, 0, new byte[0]));
            }
        }
    }
}
