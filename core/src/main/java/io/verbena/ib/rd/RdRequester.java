package io.verbena.ib.rd;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.request.RequestPackets;
import io.verbena.ib.request.RequestTimer;
import io.verbena.ib.request.RetryCounters;
import io.verbena.ib.settings.RdSettings;
import io.verbena.memory.Region;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.Deth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Rdeth;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.Optional;

/**
 * The requester of an end-to-end context: carries one message at a time, from the queue pairs in turn. If the peer's
 * queue pair does not accept a message, the context sends other messages first: RESYNC moves the peer's expected PSN
 * beyond the refused one.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.7.8 (reliable datagram).
 *
 * <p>Over 500 lines: requester and completer of a context are one state, unlike those of a connection.
 */
final class RdRequester {

    private static final int ACK_EVERY = 32;

    private final RdSettings settings;
    private final RdDomain domain;
    private final MigratingPath path;
    private final IdentityHashMap<RdQueuePair, RequestPackets> builders = new IdentityHashMap<>();
    private final Rdeth rdeth = new Rdeth();
    private final Deth deth = new Deth();
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    private int last = RdDomain.NONE;
    private Optional<RdQueuePair> current = Optional.empty();

    // The message in progress. Its packets are numbered from 0.
    private int firstPsn;
    private int packets;
    private int answered;
    private int cursor;
    private int sent;

    /** The PSN of the next message, or of RESYNC. */
    private int nextPsn;

    private boolean resyncing;
    private boolean resyncSent;
    private final RetryCounters retries;
    private final RequestTimer timer;
    private boolean memoryAwaited;
    private boolean failed;
    private CompletionStatus failure = CompletionStatus.RETRY_EXCEEDED;

    /** Number of messages of this side that the peer has executed. */
    private int msn;

    /**
     * A message that was postponed by RESYNC. The answer to RESYNC determines whether the peer has executed it
     * nevertheless.
     */
    private Optional<RdQueuePair> undecided = Optional.empty();

    private long undecidedUntilNs;

    RdRequester(RdSettings settings, RdDomain domain, MigratingPath path) {
        this.settings = settings;
        this.domain = domain;
        this.path = path;
        nextPsn = settings.firstSendPsn();
        retries = new RetryCounters(settings);
        timer = new RequestTimer(settings.ackTimeoutNs());
    }

    boolean failed() {
        return failed;
    }

    // Driving.

    boolean hasWork(long nowNs) {
        if (failed || current.isEmpty() && !resyncing) {
            return domain.next(last, settings.localContext(), nowNs) != RdDomain.NONE;
        }
        if (resyncing) {
            return !resyncSent;
        }
        return !memoryAwaited && !timer.notReady() && cursor < packets && fitsWindow();
    }

    private boolean fitsWindow() {
        Wqe wqe = current.orElseThrow().head();
        // One Read request at a time.
        return Opcodes.read(wqe.opcode()) ? cursor == answered : cursor - answered < settings.windowPackets();
    }

    /**
     * Builds the next packet, or completes work that cannot be sent. Returns false when no more work can be done now.
     */
    boolean step(PacketBuilder out, long nowNs) {
        if (failed) {
            endNext(nowNs);
            return true;
        }
        if (resyncing) {
            return resync(out, nowNs);
        }
        if (current.isEmpty()) {
            begin(nowNs);
            return true;
        }
        return build(out, nowNs);
    }

    /** The context has failed: work for it fails, other work of its queue pair continues. */
    private void endNext(long nowNs) {
        last = domain.next(last, settings.localContext(), nowNs);
        RdQueuePair queuePair = domain.at(last);
        queuePair.take();
        queuePair.complete(failure, false);
    }

    private void begin(long nowNs) {
        last = domain.next(last, settings.localContext(), nowNs);
        RdQueuePair queuePair = domain.at(last);
        Wqe wqe = queuePair.take();
        if (wqe.opcode() == WorkOpcode.SEND_WITH_INVALIDATE
                || wqe.opcode() == WorkOpcode.READ_WITH_INVALIDATE
                || Opcodes.local(wqe.opcode())) {
            queuePair.complete(CompletionStatus.LOCAL_OPERATION, true);
            return;
        }
        current = queuePair.itself();
        firstPsn = nextPsn;
        packets = Opcodes.atomic(wqe.opcode()) ? 1 : builder(queuePair).packetsOf(wqe.length());
        answered = 0;
        cursor = 0;
        sent = 0;
        retries.restore();
    }

    private RequestPackets builder(RdQueuePair queuePair) {
        RequestPackets known = builders.get(queuePair);
        if (known == null) {
            known = new RequestPackets(queuePair.owner(), Service.RD, settings.mtuBytes(), path, 0);
            builders.put(queuePair, known);
        }
        return known;
    }

    private boolean build(PacketBuilder out, long nowNs) {
        RdQueuePair queuePair = current.orElseThrow();
        Wqe wqe = queuePair.head();
        RequestPackets building = builder(queuePair);
        int qKey = wqe.qkey() < 0 ? queuePair.qKey() : wqe.qkey();
        building.datagram(settings.remoteContext(), wqe.destination(), qKey, queuePair.number());
        int psn = Psn.plus(firstPsn, cursor);
        int taken = 1;
        RequestPackets.Built built;
        if (Opcodes.read(wqe.opcode())) {
            int portion = settings.readPackets();
            taken = Math.min(portion - cursor % portion, packets - cursor);
            built = building.read(out, wqe, cursor, taken, psn);
        } else if (Opcodes.atomic(wqe.opcode())) {
            built = building.atomic(out, wqe, psn);
        } else {
            boolean asks = building.last(wqe, cursor)
                    || cursor % ACK_EVERY == ACK_EVERY - 1
                    || cursor - answered + 1 >= settings.windowPackets();
            built = building.message(out, wqe, cursor, psn, asks);
        }
        switch (built) {
            case DONE -> {
                cursor += taken;
                sent = Math.max(sent, cursor);
                timer.run(true, nowNs);
                return true;
            }
            case NOT_NOW -> memoryAwaited = true;
            case LOST -> giveUp(CompletionStatus.LOCAL_MEMORY, true);
            case REFUSED -> giveUp(CompletionStatus.LOCAL_PROTECTION, true);
            case FULL -> {}
        }
        return false;
    }

    private boolean resync(PacketBuilder out, long nowNs) {
        IbOpcode opcode = IbOpcode.RD_RESYNC;
        if (!path.begin(out, opcode, 0, nextPsn, 0)) {
            return false;
        }
        rdeth.wrap(out.segment(), out.header(opcode.rdethOffset())).set(settings.remoteContext());
        deth.wrap(out.segment(), out.header(opcode.dethOffset())).set(0, 0);
        out.bth().a(true);
        out.end(path.current());
        resyncSent = true;
        timer.run(true, nowNs);
        return true;
    }

    // Answers.

    void onAcknowledge(IbPacket packet, long nowNs) {
        int psn = packet.bth().psn();
        int syndrome = packet.aeth().syndrome();
        Syndrome.Kind kind = Syndrome.kind(syndrome);
        heard(psn, nowNs);
        if (resyncing) {
            if (resyncSent && psn == nextPsn && kind == Syndrome.Kind.ACK) {
                resyncing = false;
                nextPsn = Psn.plus(nextPsn, 1);
                progressed();
                decide(packet.aeth().msn());
            }
            return;
        }
        int at = Psn.distance(psn, firstPsn);
        if (current.isEmpty() || at < answered || at >= sent) {
            return;
        }
        boolean waits = Opcodes.waitsForAnswer(current.get().head().opcode());
        switch (kind) {
            case ACK -> {
                if (waits) {
                    restart(nowNs);
                } else {
                    answered(at + 1, packet.aeth().msn(), nowNs);
                }
            }
            case RNR_NAK -> notReady(waits, Syndrome.rnrNs(syndrome), nowNs);
            case NAK -> onNak(syndrome, at, waits, nowNs);
            case RESERVED -> {}
        }
    }

    /** The peer has answered something of this side, perhaps again: it lives. */
    private void heard(int psn, long nowNs) {
        int end = resyncing ? Psn.plus(nextPsn, 1) : current.isPresent() ? Psn.plus(firstPsn, sent) : nextPsn;
        int distance = Psn.distance(psn, end);
        if (distance < 0 && PsnGuard.plausible(distance)) {
            retries.onAckReceived();
            timer.onAckReceived(nowNs);
        }
    }

    /**
     * The peer was not ready. For a Read or atomic, the context waits as well, because the request cannot be repeated with another
     * PSN.
     */
    private void notReady(boolean waits, long delayNs, long nowNs) {
        if (!waits) {
            undecided = current;
            undecidedUntilNs = Times.after(nowNs, delayNs);
            release();
        } else if (!timer.notReady()) {
            retries.arrived();
            if (retries.takeNotReady()) {
                timer.startNotReady(delayNs, nowNs);
            } else {
                giveUp(CompletionStatus.RECEIVER_NOT_READY, false);
            }
        }
    }

    /**
     * The peer has skipped the message. A copy of a packet may have been executed after the first copy was refused. The
     * peer has then counted one more message, and the message must not be sent again.
     */
    private void decide(int peersMsn) {
        boolean executed = Psn.distance(peersMsn, msn) > 0;
        msn = peersMsn;
        if (undecided.isEmpty()) {
            return;
        }
        RdQueuePair queuePair = undecided.get();
        undecided = Optional.empty();
        if (executed) {
            queuePair.complete(CompletionStatus.SUCCESS, false);
        } else if (!queuePair.waitUntil(undecidedUntilNs, settings.receiverNotReadyRetries())) {
            queuePair.complete(CompletionStatus.RECEIVER_NOT_READY, false);
        }
    }

    private void onNak(int syndrome, int at, boolean waits, long nowNs) {
        switch (syndrome) {
            case Syndrome.NAK_PSN_SEQUENCE -> {
                if (!waits && at > answered) {
                    answered(at, msn, nowNs);
                }
                restart(nowNs);
            }
            case Syndrome.NAK_INVALID_RD_REQUEST -> giveUp(CompletionStatus.REMOTE_INVALID_REQUEST, false);
            case Syndrome.NAK_REMOTE_ACCESS -> giveUp(CompletionStatus.REMOTE_ACCESS, true);
            case Syndrome.NAK_REMOTE_OPERATION -> giveUp(CompletionStatus.REMOTE_OPERATION, true);
            default -> giveUp(CompletionStatus.REMOTE_INVALID_REQUEST, true);
        }
    }

    /** Sends everything from the first unanswered packet on again, once per position. */
    private void restart(long nowNs) {
        if (retries.restart(answered)) {
            again(retries.takeRepetition(path), nowNs);
        }
    }

    private void again(boolean permitted, long nowNs) {
        timer.restart();
        if (permitted) {
            cursor = answered;
            resyncSent = false;
            timer.run(true, nowNs);
        } else {
            fail(CompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void answered(int upTo, int peersMsn, long nowNs) {
        msn = peersMsn;
        answered = upTo;
        cursor = Math.max(cursor, answered);
        progressed();
        if (answered == packets) {
            done();
        } else {
            timer.run(true, nowNs);
        }
    }

    private void done() {
        nextPsn = Psn.plus(firstPsn, packets);
        Region.publish();
        current.orElseThrow().complete(CompletionStatus.SUCCESS, false);
        current = Optional.empty();
    }

    /** The work in progress fails. */
    private void giveUp(CompletionStatus status, boolean stops) {
        current.orElseThrow().complete(status, stops);
        release();
    }

    /** Abandons the message in progress. RESYNC announces the PSN of the next one to the peer. */
    private void release() {
        current = Optional.empty();
        memoryAwaited = false;
        nextPsn = Psn.plus(firstPsn, sent);
        resyncing = sent > 0;
        resyncSent = false;
        progressed();
    }

    private void progressed() {
        retries.restore();
        timer.clear();
    }

    void onReadResponse(IbPacket packet, MemorySegment segment, long nowNs) {
        heard(packet.bth().psn(), nowNs);
        if (!isNext(packet)) {
            return;
        }
        RdQueuePair queuePair = current.orElseThrow();
        Wqe wqe = queuePair.head();
        long done = (long) answered * settings.mtuBytes();
        int expected = (int) Math.min(settings.mtuBytes(), wqe.length() - done);
        if (!Opcodes.read(wqe.opcode()) || packet.payloadBytes() != expected) {
            giveUp(CompletionStatus.BAD_RESPONSE, true);
            return;
        }
        int peersMsn = packet.opcode().hasAeth() ? packet.aeth().msn() : msn;
        placed(
                queuePair.owner().buffers().scatter(wqe, done, segment, packet.payloadOffset(), expected),
                peersMsn,
                nowNs);
    }

    void onAtomicResponse(IbPacket packet, long nowNs) {
        heard(packet.bth().psn(), nowNs);
        if (!isNext(packet)) {
            return;
        }
        RdQueuePair queuePair = current.orElseThrow();
        if (!Opcodes.atomic(queuePair.head().opcode())) {
            giveUp(CompletionStatus.BAD_RESPONSE, true);
            return;
        }
        word.set(JAVA_LONG, 0, packet.atomicAckEth().originalData());
        placed(
                queuePair.owner().buffers().scatter(queuePair.head(), 0, word, 0, Long.BYTES),
                packet.aeth().msn(),
                nowNs);
    }

    private void placed(Moved moved, int peersMsn, long nowNs) {
        switch (moved) {
            case DONE -> answered(answered + 1, peersMsn, nowNs);
            case NOT_NOW -> {
                cursor = answered;
                memoryAwaited = true;
            }
            case LOST -> giveUp(CompletionStatus.LOCAL_MEMORY, true);
            case REFUSED -> giveUp(CompletionStatus.LOCAL_PROTECTION, true);
        }
    }

    private boolean isNext(IbPacket packet) {
        return !resyncing
                && current.isPresent()
                && answered < sent
                && packet.bth().psn() == Psn.plus(firstPsn, answered)
                && Opcodes.waitsForAnswer(current.get().head().opcode());
    }

    // Time.

    long nextDeadlineNs() {
        long earliest = timer.nextDeadlineNs();
        if (current.isEmpty() && !resyncing) {
            for (int i = 0; i < domain.size(); i++) {
                earliest = Times.earlier(earliest, domain.at(i).nextDeadlineNs(settings.localContext()));
            }
        }
        return earliest;
    }

    void onDeadline(long nowNs) {
        if (timer.notReadyExpired(nowNs)) {
            timer.endNotReady();
            cursor = answered;
            timer.run(true, nowNs);
        }
        if (timer.timedOut(nowNs)) {
            onTimeout(nowNs);
        }
    }

    private void onTimeout(long nowNs) {
        if (resyncing ? !resyncSent : cursor == answered) {
            // Nothing was sent again since the last time-out: memory did not permit it. The peer owes no answer.
            timer.restart();
            timer.run(true, nowNs);
            return;
        }
        retries.restart(answered);
        timer.backOff();
        again(retries.takeSilence(path, nowNs), nowNs);
    }

    /** The peer does not answer, or the context ends: the context fails, its queue pairs do not. */
    void fail(CompletionStatus status) {
        if (failed) {
            return;
        }
        failed = true;
        failure = status;
        resyncing = false;
        timer.clear();
        memoryAwaited = false;
        current.ifPresent(queuePair -> queuePair.complete(status, false));
        undecided.ifPresent(queuePair -> queuePair.complete(status, false));
        current = Optional.empty();
        undecided = Optional.empty();
    }

    /** A queue pair has left the domain. The peer skips its message in progress. */
    void forget(RdQueuePair queuePair) {
        builders.remove(queuePair);
        if (undecided.isPresent() && undecided.get() == queuePair) {
            undecided = Optional.empty();
        }
        if (current.isPresent() && current.get() == queuePair) {
            release();
        }
    }

    void resume() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) firstPsn << 32 | nextPsn);
        d = Digest.mix(d, (long) answered << 32 | cursor);
        d = timer.stateDigest(retries.stateDigest(d, answered));
        return Digest.mix(d, (resyncing ? 1 : 0) | (failed ? 2 : 0) | (current.isPresent() ? 4 : 0));
    }
}
