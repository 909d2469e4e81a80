package io.verbena.ib.cm;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.CmDrep;
import io.verbena.wire.ib.CmLap;
import io.verbena.wire.ib.CmPath;
import io.verbena.wire.ib.CmRej;
import io.verbena.wire.ib.CmRep;
import io.verbena.wire.ib.CmReq;
import io.verbena.wire.ib.CmaHeader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Messages about connections: processes those of peers, and builds those of this side. */
final class CmPeers {

    private static final int NO_LID = 0xffff;
    private static final int PATH_RATE = 3;
    private static final int HOP_LIMIT = 64;
    private static final int LONGEST_ACK_DELAY = 15;
    private static final int LARGEST_MTU = 5;
    private static final int ANSWERS_AFTER_DELAY = 3;
    private static final int APR_INVALID_COMM_ID = 1;
    private static final int APR_REJECTED = 3;

    private final CmAgent agent;
    private final CmPort port;
    private final CmMessage out = new CmMessage();
    private final CmaHeader cma = new CmaHeader();

    CmPeers(CmAgent agent, CmPort port) {
        this.agent = agent;
        this.port = port;
    }

    // Received messages.

    void onMessage(CmMessage in, Origin origin, long nowNs) {
        switch (in.attribute()) {
            case CmMessage.REQ -> onRequest(in, origin, nowNs);
            case CmMessage.REP -> onReply(in, origin, nowNs);
            case CmMessage.RTU ->
                with(in.rtu().remoteCommId(), in.rtu().localCommId(), origin).ifPresent(c -> {
                    if (c.on(CmEvent.RTU_RECEIVED)) {
                        c.answered(nowNs);
                        agent.established(c, nowNs);
                    }
                });
            case CmMessage.REJ -> onReject(in, origin, nowNs);
            case CmMessage.MRA ->
                with(in.mra().remoteCommId(), in.mra().localCommId(), origin).ifPresent(c -> {
                    if (c.on(CmEvent.MRA_RECEIVED)) {
                        c.answered(nowNs);
                        c.wait(CmConnection.timeNs(in.mra().serviceTimeout()), nowNs);
                    }
                });
            case CmMessage.DREQ -> onDisconnect(in, origin, nowNs);
            case CmMessage.DREP -> onDisconnected(in.drep(), origin, nowNs);
            case CmMessage.LAP -> onProposal(in, origin);
            case CmMessage.APR ->
                with(in.apr().remoteCommId(), in.apr().localCommId(), origin).ifPresent(c -> {
                    if (c.answersProposal(in.transaction())) {
                        c.proposalEnded();
                        agent.signal(new CmSignal.AlternateAnswered(
                                c.localId(), in.apr().status()));
                    }
                });
            default -> {}
        }
    }

    /** The connection with this local number, if the message is from its peer. The peer has received that number at its address. */
    private Optional<CmConnection> with(int ours, int theirs, Origin origin) {
        Optional<CmConnection> found =
                agent.find(ours).filter(c -> origin.from(c.path()) && (c.remoteId() == theirs || c.remoteId() == 0));
        found.ifPresent(CmConnection::confirmed);
        return found;
    }

    // Requests.

    private void onRequest(CmMessage in, Origin origin, long nowNs) {
        CmReq req = in.req();
        Optional<CmConnection> same = agent.connections().ofRequest(req.localCaGuid(), req.localCommId(), origin);
        if (same.isPresent()) {
            onDuplicate(same.get(), in, origin, nowNs);
            return;
        }
        Optional<byte[]> rejection = agent.connections().rejection(req.localCaGuid(), req.localCommId(), origin);
        if (rejection.isPresent()) {
            // The peer has not received it, or the network has delivered the request twice. As a new request it would
            // make a
            // later one of the same queue pair stale.
            agent.send(back(origin), rejection.get());
            return;
        }
        Optional<CmConnection> stale =
                agent.connections().ofQueuePair(req.localCaGuid(), end(req), context(req), origin);
        if (stale.isPresent()) {
            // The peer has restarted: the queue pair of the request belongs to another connection.
            refuse(in, origin, CmReject.STALE_CONNECTION);
            agent.disconnect(stale.get(), nowNs);
            if (agent.find(stale.get().localId()).isEmpty()) {
                agent.signal(new CmSignal.TimedOut(stale.get().localId()));
            }
            return;
        }
        Optional<CmListener> listener = agent.listener(req.serviceId());
        if (listener.isEmpty()) {
            refuse(in, origin, CmReject.INVALID_SERVICE_ID);
            return;
        }
        Optional<CmReject> refusal = refusal(in, listener.get());
        if (refusal.isPresent()) {
            refuse(in, origin, refusal.get());
            return;
        }
        if (!agent.sources().admits(in, req.localCommId(), origin, nowNs)) {
            return;
        }
        PacketPath back = back(origin);
        CmConnection c = agent.add(false, back);
        c.heard(CmMessage.BYTES);
        if (agent.sources().knows(origin, nowNs)) {
            c.confirmed();
        }
        c.on(CmEvent.REQ_RECEIVED);
        c.transaction(in.transaction());
        c.transportService(req.transportService());
        c.peer(req.localCommId(), req.localCaGuid(), end(req));
        c.ackTimeoutCode(in.primary().ackTimeout());
        // The peer has stopped retrying at this time.
        c.until(Times.after(nowNs, CmConnection.timeNs(req.remoteResponseTimeout()) * (1L + req.maxCmRetries())));
        agent.signal(new CmSignal.Requested(c.localId(), back, offer(in)));
    }

    private static boolean context(CmReq req) {
        return req.transportService() == CmOffer.RELIABLE_DATAGRAM;
    }

    /** The queue pair of a request, or the end-to-end context. */
    private static int end(CmReq req) {
        return context(req) ? req.localEecn() : req.localQpn();
    }

    private PacketPath back(Origin origin) {
        return new PacketPath(
                origin.sourceHigh(), origin.sourceLow(), port.address().udpPort(), 0);
    }

    private Optional<CmReject> refusal(CmMessage in, CmListener listener) {
        CmReq req = in.req();
        if ((listener.transportServices() >>> req.transportService() & 1) == 0) {
            return Optional.of(CmReject.INVALID_TRANSPORT);
        }
        CmPath path = in.primary();
        if (!port.owns(path.remoteGidHigh(), path.remoteGidLow())) {
            return Optional.of(CmReject.INVALID_GID);
        }
        if (req.pathMtu() < 1 || req.pathMtu() > LARGEST_MTU) {
            return Optional.of(CmReject.INVALID_MTU);
        }
        if (listener.ipAddresses() && !namesThisPort(req.privateData())) {
            return Optional.of(CmReject.CONSUMER);
        }
        return agent.connections().waiting() >= port.mostWaiting()
                ? Optional.of(CmReject.NO_RESOURCES)
                : Optional.empty();
    }

    private boolean namesThisPort(byte[] privateData) {
        cma.wrap(MemorySegment.ofArray(privateData), 0);
        if (cma.majorVersion() != 0) {
            return false;
        }
        return switch (cma.ipVersion()) {
            // The first 12 bytes of an IPv4 address are not defined.
            case 4 -> (int) cma.targetLow() == (int) port.address().low() && ownAddressIsIpv4();
            case 6 -> port.owns(cma.targetHigh(), cma.targetLow());
            default -> false;
        };
    }

    private boolean ownAddressIsIpv4() {
        return PacketPath.ipv4(port.address().high(), port.address().low());
    }

    private void onDuplicate(CmConnection c, CmMessage in, Origin origin, long nowNs) {
        c.heard(CmMessage.BYTES);
        switch (c.state()) {
            case TIMEWAIT -> refuse(in, origin, CmReject.STALE_CONNECTION);
            case REQ_RCVD -> {
                // The application is slow, and the peer waits: an MRA keeps it from repeating its request meanwhile.
                long deadlineNs = c.deadlineNs();
                agent.delay(c.localId(), port.delayCode(), nowNs);
                c.extend(deadlineNs);
                c.extend(patienceNs(in, nowNs));
            }
            case MRA_REQ_SENT -> {
                // The peer has not received the MRA, or waited in vain.
                c.on(CmEvent.REQ_RECEIVED);
                agent.send(c, c.unanswered());
                c.extend(patienceNs(in, nowNs));
            }
            default -> {}
        }
    }

    /** The time until which a peer that has received an MRA now waits, including its longest silence and the way. */
    private long patienceNs(CmMessage in, long nowNs) {
        long answerNs = CmConnection.timeNs(in.req().remoteResponseTimeout());
        return Times.after(nowNs, CmConnection.timeNs(port.delayCode()) + ANSWERS_AFTER_DELAY * answerNs);
    }

    private void refuse(CmMessage in, Origin origin, CmReject reason) {
        int theirs = in.req().localCommId();
        out.begin(CmMessage.REJ, in.transaction()).rej().remoteCommId(theirs).reason(reason.code());
        agent.send(back(origin), out.bytes());
    }

    private static CmOffer offer(CmMessage in) {
        CmReq req = in.req();
        CmEndpoint endpoint = new CmEndpoint(
                end(req),
                req.startingPsn(),
                req.responderResources(),
                req.initiatorDepth(),
                req.endToEndFlowControl(),
                req.srq());
        CmRetries retries = new CmRetries(
                req.retryCount(), req.rnrRetryCount(), in.primary().ackTimeout());
        return new CmOffer(
                req.serviceId(),
                req.transportService(),
                endpoint,
                req.pathMtu(),
                retries,
                in.extended(req.privateData()));
    }

    // Answers.

    private void onReply(CmMessage in, Origin origin, long nowNs) {
        CmRep rep = in.rep();
        Optional<CmConnection> found = with(rep.remoteCommId(), rep.localCommId(), origin);
        if (found.isEmpty()) {
            // The reply matches no connection. The REJ ends the attempt of the peer.
            int theirs = rep.localCommId();
            int ours = rep.remoteCommId();
            out.begin(CmMessage.REJ, in.transaction())
                    .rej()
                    .localCommId(ours)
                    .remoteCommId(theirs)
                    .messageRejected(1)
                    .reason(CmReject.INVALID_COMM_ID.code());
            agent.send(back(origin), out.bytes());
            return;
        }
        CmConnection c = found.get();
        CmState before = c.state();
        if (!c.active() || !c.on(CmEvent.REP_RECEIVED)) {
            return;
        }
        if (before == CmState.ESTABLISHED || before == CmState.MRA_REP_SENT) {
            agent.send(c, before == CmState.ESTABLISHED ? c.confirmation() : c.unanswered());
            return;
        }
        c.answered(nowNs);
        int end = c.reliableDatagram() ? rep.localEecn() : rep.localQpn();
        c.peer(rep.localCommId(), rep.localCaGuid(), end);
        c.until(Times.after(nowNs, port.responseTimeoutNs() * (1L + port.statedRetries())));
        CmEndpoint endpoint = new CmEndpoint(
                end,
                rep.startingPsn(),
                rep.responderResources(),
                rep.initiatorDepth(),
                rep.endToEndFlowControl(),
                rep.srq());
        agent.signal(new CmSignal.Replied(
                c.localId(), new CmAnswer(endpoint, rep.rnrRetryCount(), in.extended(rep.privateData()))));
    }

    private void onReject(CmMessage in, Origin origin, long nowNs) {
        CmRej rej = in.rej();
        // A peer that rejects a request may have no number for the connection.
        Optional<CmConnection> found = agent.find(rej.remoteCommId())
                .filter(c -> origin.from(c.path())
                        && (rej.localCommId() == 0 || c.remoteId() == 0 || c.remoteId() == rej.localCommId()));
        if (found.isEmpty() && rej.reason() == CmReject.TIMEOUT.code()) {
            // The peer abandoned its request before it knew the number of this side.
            found = agent.connections().ofRemoteNumber(rej.localCommId(), origin);
        }
        found.ifPresent(c -> {
            if (!c.on(CmEvent.REJ_RECEIVED)) {
                return;
            }
            if (c.state() == CmState.TIMEWAIT) {
                agent.timeWait(c, nowNs);
            } else {
                agent.signal(
                        new CmSignal.Rejected(c.localId(), rej.reason(), rej.info(), in.extended(rej.privateData())));
                agent.remove(c);
            }
        });
    }

    private void onDisconnect(CmMessage in, Origin origin, long nowNs) {
        int ours = in.dreq().remoteCommId();
        int theirs = in.dreq().localCommId();
        Optional<CmConnection> found = with(ours, theirs, origin);
        if (found.isEmpty()) {
            out.begin(CmMessage.DREP, in.transaction()).drep().localCommId(ours).remoteCommId(theirs);
            agent.send(back(origin), out.bytes());
            return;
        }
        CmConnection c = found.get();
        CmState before = c.state();
        if (in.dreq().remoteQpn() != c.localQueuePair() || !c.on(CmEvent.DREQ_RECEIVED)) {
            return;
        }
        out.begin(CmMessage.DREP, in.transaction()).drep().localCommId(ours).remoteCommId(theirs);
        agent.send(c, out.bytes());
        if (before != CmState.TIMEWAIT) {
            agent.timeWait(c, nowNs);
        }
    }

    private void onDisconnected(CmDrep drep, Origin origin, long nowNs) {
        Optional<CmConnection> found = with(drep.remoteCommId(), drep.localCommId(), origin);
        if (found.isEmpty()) {
            agent.sources().onAnswer(drep.remoteCommId(), drep.localCommId(), origin, nowNs);
        } else if (found.get().on(CmEvent.DREP_RECEIVED)) {
            agent.timeWait(found.get(), nowNs);
        }
    }

    private void onProposal(CmMessage in, Origin origin) {
        CmLap lap = in.lap();
        Optional<CmConnection> found = with(lap.remoteCommId(), lap.localCommId(), origin);
        if (found.isEmpty() || found.get().state() != CmState.ESTABLISHED) {
            int ours = lap.remoteCommId();
            int theirs = lap.localCommId();
            out.begin(CmMessage.APR, in.transaction())
                    .apr()
                    .localCommId(ours)
                    .remoteCommId(theirs)
                    .status(APR_INVALID_COMM_ID);
            agent.send(back(origin), out.bytes());
            return;
        }
        CmConnection c = found.get();
        if (in.transaction() == c.alternateTransaction() && c.alternateAnswer().length > 0) {
            agent.send(c, c.alternateAnswer());
            return;
        }
        boolean ours = port.answersAlternates() && lap.remoteQpn() == c.localQueuePair();
        if (!ours || c.alternateProposed()) {
            agent.send(c, alternateAnswer(c, in.transaction(), APR_REJECTED));
            return;
        }
        c.alternateAnswer(in.transaction(), new byte[0]);
        agent.signal(new CmSignal.AlternateProposed(
                c.localId(),
                new PacketPath(
                        lap.alternateLocalGidHigh(),
                        lap.alternateLocalGidLow(),
                        port.address().udpPort(),
                        0)));
    }

    // Messages of this side.

    byte[] request(CmConnection c, CmOffer offer) {
        CmMessage m = out.begin(CmMessage.REQ, c.transaction()).extend(offer.privateData(), CmReq.PRIVATE_DATA_BYTES);
        m.req()
                .localCommId(c.localId())
                .serviceId(offer.serviceId())
                .localCaGuid(port.address().guid())
                .localQpn(c.reliableDatagram() ? 0 : offer.endpoint().queuePair())
                .localEecn(c.reliableDatagram() ? offer.endpoint().queuePair() : 0)
                .responderResources(offer.endpoint().responderResources())
                .initiatorDepth(offer.endpoint().initiatorDepth())
                .remoteResponseTimeout(port.responseTimeoutCode())
                .transportService(offer.transportService())
                .endToEndFlowControl(offer.endpoint().reportsCredits())
                .startingPsn(offer.endpoint().startingPsn())
                .localResponseTimeout(port.responseTimeoutCode())
                .retryCount(offer.retries().retries())
                .pKey(port.address().pKey())
                .pathMtu(offer.mtuCode())
                .rnrRetryCount(offer.retries().receiverNotReadyRetries())
                .maxCmRetries(port.statedRetries())
                .srq(offer.endpoint().sharedReceives())
                .privateData(offer.privateData());
        m.primary()
                .localLid(NO_LID)
                .remoteLid(NO_LID)
                .localGid(port.address().high(), port.address().low())
                .remoteGid(c.path().addressHigh(), c.path().addressLow())
                .packetRate(PATH_RATE)
                .hopLimit(HOP_LIMIT)
                .ackTimeout(offer.retries().ackTimeoutCode());
        return m.bytes();
    }

    byte[] reply(CmConnection c, CmAnswer answer) {
        CmMessage m = out.begin(CmMessage.REP, c.transaction()).extend(answer.privateData(), CmRep.PRIVATE_DATA_BYTES);
        m.rep()
                .localCommId(c.localId())
                .remoteCommId(c.remoteId())
                .localQpn(c.reliableDatagram() ? 0 : answer.endpoint().queuePair())
                .localEecn(c.reliableDatagram() ? answer.endpoint().queuePair() : 0)
                .startingPsn(answer.endpoint().startingPsn())
                .responderResources(answer.endpoint().responderResources())
                .initiatorDepth(answer.endpoint().initiatorDepth())
                .targetAckDelay(LONGEST_ACK_DELAY)
                .endToEndFlowControl(answer.endpoint().reportsCredits())
                .rnrRetryCount(answer.receiverNotReadyRetries())
                .srq(answer.endpoint().sharedReceives())
                .localCaGuid(port.address().guid())
                .privateData(answer.privateData());
        return m.bytes();
    }

    byte[] ready(CmConnection c, byte[] privateData) {
        CmMessage m = out.begin(CmMessage.RTU, c.transaction());
        m.rtu().localCommId(c.localId()).remoteCommId(c.remoteId()).privateData(privateData);
        return m.bytes();
    }

    byte[] reject(CmConnection c, int about, CmReject reason, byte[] privateData) {
        return reject(c, about, reason, new byte[0], privateData);
    }

    byte[] reject(CmConnection c, int about, CmReject reason, byte[] info, byte[] privateData) {
        CmMessage m = out.begin(CmMessage.REJ, c.transaction()).extend(privateData, CmRej.PRIVATE_DATA_BYTES);
        m.rej()
                .localCommId(c.localId())
                .remoteCommId(c.remoteId())
                .messageRejected(about)
                .reason(reason.code())
                .info(info)
                .privateData(privateData);
        return m.bytes();
    }

    byte[] delay(CmConnection c, int about, int timeoutCode) {
        CmMessage m = out.begin(CmMessage.MRA, c.transaction());
        m.mra()
                .localCommId(c.localId())
                .remoteCommId(c.remoteId())
                .messageMraed(about)
                .serviceTimeout(timeoutCode);
        return m.bytes();
    }

    byte[] disconnectRequest(CmConnection c) {
        CmMessage m = out.begin(CmMessage.DREQ, c.transaction());
        m.dreq().localCommId(c.localId()).remoteCommId(c.remoteId()).remoteQpn(c.remoteQueuePair());
        return m.bytes();
    }

    byte[] proposal(CmConnection c, long transaction, CmPort.Alternate path) {
        CmMessage m = out.begin(CmMessage.LAP, transaction);
        m.lap()
                .localCommId(c.localId())
                .remoteCommId(c.remoteId())
                .remoteQpn(c.remoteQueuePair())
                .remoteResponseTimeout(port.responseTimeoutCode())
                .alternateLocalLid(NO_LID)
                .alternateRemoteLid(NO_LID)
                .alternateLocalGid(path.localHigh(), path.localLow())
                .alternateRemoteGid(path.remoteHigh(), path.remoteLow())
                .alternateHopLimit(HOP_LIMIT)
                .alternatePacketRate(PATH_RATE)
                .alternateAckTimeout(path.ackTimeoutCode());
        return m.bytes();
    }

    byte[] alternateAnswer(CmConnection c, long transaction, int status) {
        CmMessage m = out.begin(CmMessage.APR, transaction);
        m.apr().localCommId(c.localId()).remoteCommId(c.remoteId()).status(status);
        return m.bytes();
    }
}
