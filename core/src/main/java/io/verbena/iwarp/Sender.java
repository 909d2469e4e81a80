package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.TerminateReader;
import io.verbena.work.KeyWork;
import io.verbena.work.LocalBuffers;
import java.lang.foreign.MemorySegment;

/**
 * The sending half of a stream: turns send work and the answers to the peer's Reads into FPDUs.
 *
 * <p>Filling runs on a trial state that starts from the committed one (see {@link TransmitState}); what has left is
 * committed unit by unit. Messages are not mixed: whoever begins a message, request or answer, ends it before the
 * other's turn comes (RFC 5041 section 5.3 [1] wants messages of a stream in order; some receivers keep one tagged
 * message at a time).
 *
 * <p>Work that has no frame of its own (delay, invalidate) and work that cannot be done are handled only when all that
 * is before them has left, so that a filling that is thrown away has no effect.
 */
final class Sender {

    /** Kinds of units, in the low byte of a unit's tag; a flag for "last of its message"; payload length above. */
    private static final int MESSAGE = 0;

    private static final int ANSWER = 1;
    private static final int TERMINATE = 2;
    private static final int RTR = 3;
    private static final int NUDGE = 4;
    private static final int PROBE = 5;
    private static final int CHECK = 6;
    private static final int HELLO = 7;
    private static final int FAREWELL = 8;
    private static final long LAST = 0x100;
    private static final int PAYLOAD_SHIFT = 16;

    private final StreamSettings settings;
    private final Conversation talk;
    private final KeepAlive keepAlive;
    private final Parting parting;
    private final Blame blame;
    private final WorkQueues queues;
    private final WorkQueue work;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;
    private final RequestFrames requests;
    private final AnswerFrames answers;
    private final KeyUse keys;
    private final KeyWork keyWork;

    private final TransmitState committed = new TransmitState();
    private final TransmitState trial = new TransmitState();
    private final Departures departures = new Departures();
    private final Wqe wqe = new Wqe();

    private boolean delaying;
    private long delayUntilNs;
    private boolean memoryAwaited;

    Sender(
            StreamSettings settings,
            Conversation talk,
            KeepAlive keepAlive,
            WorkQueues queues,
            RegionTable regions,
            AccessCheck check,
            int domain,
            LocalBuffers buffers,
            InboundReads inbound,
            OutstandingReads outstanding,
            int readSinkStag,
            KeyUse keys,
            KeyWork keyWork) {
        this.settings = settings;
        this.talk = talk;
        this.keepAlive = keepAlive;
        this.parting = talk.parting();
        this.queues = queues;
        this.work = queues.send();
        this.inbound = inbound;
        this.outstanding = outstanding;
        this.blame = new Blame(work, outstanding);
        FpduFramer framer = new FpduFramer(settings.crc(), settings.sendMarkers());
        this.requests = new RequestFrames(settings, framer, buffers, readSinkStag);
        this.answers = new AnswerFrames(settings, framer, buffers, regions, check, domain, inbound, keys);
        this.keys = keys;
        this.keyWork = keyWork;
        committed.send = work.retired();
    }

    // What is to be done.

    boolean hasWork(long nowNs) {
        if (talk.terminateWanted()) {
            return !committed.terminated;
        }
        if (talk.ended() || !talk.maySend() || memoryAwaited) {
            return false;
        }
        return rtrDue(committed)
                || parting.owesHello(committed)
                || talk.nudgeDue(nowNs)
                || probeDue(committed)
                || checkDue(committed, nowNs)
                || inbound.has(committed.answer)
                || workReady(committed, nowNs)
                || farewellDue(committed);
    }

    /** Whether all posted work has left and is answered, and all the peer's Reads are answered. */
    boolean drained() {
        return committed.send == work.posted() && outstanding.count() == 0 && inbound.isEmpty() && !rtrDue(committed);
    }

    /** All has been said: in good order our direction may end. */
    boolean mayEnd() {
        return drained() && !departures.contradictable() && !parting.owesFarewell(committed);
    }

    /** Whether nothing is left but to say farewell. */
    boolean owesFarewell() {
        return farewellDue(committed);
    }

    private boolean farewellDue(TransmitState state) {
        return parting.owesFarewell(state) && drained() && !departures.contradictable() && state.send == committed.send;
    }

    boolean terminateLeft() {
        return committed.terminated;
    }

    /** The peer has ended its direction. */
    void peerEnded() {
        departures.peerEnded();
    }

    long nextDeadlineNs() {
        long next = delaying ? delayUntilNs : Times.NEVER;
        boolean toCheck = !talk.ended() && committed.send == work.posted();
        return toCheck ? Times.earlier(next, departures.checkAtNs()) : next;
    }

    /** The work that the peer's Terminate message blames, see {@link Blame#find}. */
    long blamed(TerminateReader terminate, MemorySegment segment) {
        return blame.find(terminate, segment, committed.send, committed.sendMsn);
    }

    // Keep-alive.

    private boolean probeDue(TransmitState state) {
        return keepAlive.wanted()
                && !departures.afterPeersEnd()
                && !keepAlive.out()
                && state.readsOutstanding < settings.outboundReads()
                && atBoundary(state);
    }

    private static boolean atBoundary(TransmitState state) {
        return state.offset == 0 && !state.immediateLeft && state.answerOffset == 0;
    }

    /** The probe, if one is out, is answered. */
    void probeAnswered() {
        keepAlive.answered();
        committed.readsOutstanding--;
    }

    /** Reads and atomics that work may have outstanding: one place is the probe's, where there are two. */
    private int readsForWork() {
        int agreed = settings.outboundReads();
        return keepAlive.on() && agreed > 1 ? agreed - 1 : agreed;
    }

    // What leaves behind the peer's FIN.

    /**
     * Whether it is time to see if what left behind the peer's FIN has been contradicted: a peer whose process is gone, or
     * that closed both directions, answers it with a reset, which only another write shows. An empty Write is that write.
     */
    private boolean checkDue(TransmitState state, long nowNs) {
        return Times.due(departures.checkAtNs(), nowNs) && atBoundary(state) && state.send == work.posted();
    }

    /** Memory that was not there may be now. */
    void resume() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    private boolean rtrDue(TransmitState state) {
        // RFC 6581 sections 5 [1] and 9.2 [7]: with a peer-to-peer start the initiator's first FPDU is the RTR frame.
        return settings.initiator() && settings.rtr().isPresent() && !state.rtrSent;
    }

    private boolean workReady(TransmitState state, long nowNs) {
        if (state.send >= work.posted()) {
            return false;
        }
        work.at(state.send, wqe);
        if (state.offset > 0 || state.immediateLeft) {
            return true;
        }
        // RFC 5040 section 5.5 [MAY]: a Send may overtake earlier Reads; the fence is how the application prevents it.
        if (wqe.fenced() && state.readsOutstanding > 0) {
            return false;
        }
        return switch (wqe.opcode()) {
            case READ, READ_WITH_INVALIDATE, COMPARE_AND_SWAP, FETCH_AND_ADD ->
                // RFC 5040 section 6.1 [4] and RFC 6581 section 9.1 [4]: no more Reads outstanding than the peer agreed
                // to.
                state.readsOutstanding < readsForWork() || settings.outboundReads() == 0;
            case DELAY -> !delaying || Times.due(delayUntilNs, nowNs);
            default -> true;
        };
    }

    // Filling.

    void fill(TransmitList list, int byteBudget, long nowNs) {
        trial.copyFrom(committed);
        while (list.bytes() < byteBudget && frameNext(list, nowNs)) {}
    }

    private boolean frameNext(TransmitList list, long nowNs) {
        if (talk.terminateWanted()) {
            // RFC 5040 section 5.4 [8]: one Terminate message, and nothing behind it.
            return !trial.terminated
                    && frameRequest(list, requests.terminate(list, trial, talk.terminateNote()), TERMINATE);
        }
        if (talk.ended() || !talk.maySend() || memoryAwaited) {
            return false;
        }
        if (rtrDue(trial)) {
            return frameRequest(list, requests.rtr(list, trial, settings.rtr().orElseThrow(), parting.rtrTo()), RTR);
        }
        if (parting.owesHello(trial)) {
            return frameRequest(list, requests.emptyWrite(list, trial, Parting.HELLO), HELLO);
        }
        if (list.units() == 0 && trial.offset == 0 && trial.answerOffset == 0 && talk.nudgeDue(nowNs)) {
            return frameRequest(list, requests.emptyWrite(list, trial, 0), NUDGE);
        }
        if (list.units() == 0 && probeDue(trial)) {
            return frameRequest(list, requests.probe(list, trial), PROBE);
        }
        if (list.units() == 0 && checkDue(trial, nowNs)) {
            return frameRequest(list, requests.emptyWrite(list, trial, 0), CHECK);
        }
        boolean answerReady = inbound.has(trial.answer);
        if (trial.answerOffset > 0) {
            return frameAnswer(list);
        }
        boolean workReady = workReady(trial, nowNs);
        if (answerReady && (trial.answersTurn || !workReady) && trial.offset == 0 && !trial.immediateLeft) {
            return frameAnswer(list);
        }
        if (!workReady && list.units() == 0 && farewellDue(trial)) {
            return frameRequest(list, requests.emptyWrite(list, trial, Parting.FAREWELL), FAREWELL);
        }
        return workReady && frameWork(list, nowNs);
    }

    private boolean frameWork(TransmitList list, long nowNs) {
        switch (wqe.opcode()) {
            case LOCAL_INVALIDATE, BIND, UNBIND:
                return workOnKeys();
            case DELAY:
                return delay(nowNs);
            default:
                return frameRequest(list, requests.work(list, trial, wqe), MESSAGE);
        }
    }

    /** What became of an attempt to frame something of our own; true to go on. */
    private boolean frameRequest(TransmitList list, Framed framed, int kind) {
        if (framed == Framed.DONE) {
            return closed(list, kind, requests.wireLength(), requests.payload(), requests.last());
        }
        if (framed == Framed.NOT_NOW) {
            memoryAwaited = true;
        }
        return framed.failed() && failWork(framed.status(), framed.sentence());
    }

    private boolean frameAnswer(TransmitList list) {
        Framed framed = answers.next(list, trial);
        switch (framed) {
            case DONE:
                return closed(list, ANSWER, answers.wireLength(), answers.payload(), answers.last());
            case NOT_NOW:
                memoryAwaited = true;
                return false;
            case REFUSED:
                if (trial.answer == committed.answer) {
                    talk.violation(Faults.ofRead(answers.verdict()), CompletionStatus.REMOTE_ACCESS);
                }
                return false;
            default:
                return false;
        }
    }

    private boolean closed(TransmitList list, int kind, int wireLength, int payload, boolean last) {
        long tag = (long) payload << PAYLOAD_SHIFT | (last ? LAST : 0) | kind;
        list.endUnit(tag);
        trial.position += wireLength;
        advance(trial, kind, payload, last);
        return true;
    }

    // Work without a frame.

    /** Whether all that is before the element under way has left, so that acting on it cannot be taken back. */
    private boolean atFront() {
        return trial.send == committed.send;
    }

    private boolean failWork(CompletionStatus status, String sentence) {
        if (atFront() && trial.offset == committed.offset) {
            wqe.notes(1 + status.ordinal());
            talk.localFailure(status, sentence);
        }
        return false;
    }

    private boolean workOnKeys() {
        if (!atFront()) {
            return false;
        }
        return switch (keyWork.work(wqe)) {
            case DONE -> skip();
            case NOT_NOW -> {
                memoryAwaited = true;
                yield false;
            }
            default ->
                wqe.opcode() == WorkOpcode.LOCAL_INVALIDATE
                        ? failWork(CompletionStatus.LOCAL_OPERATION, "the key to invalidate is not ours or not valid")
                        : failWork(
                                CompletionStatus.BIND_FAILED,
                                "a key cannot be bound or unbound: "
                                        + keyWork.verdict().sentence());
        };
    }

    private boolean delay(long nowNs) {
        if (!atFront()) {
            return false;
        }
        if (!delaying) {
            delaying = true;
            delayUntilNs = Times.after(nowNs, wqe.operand1());
        }
        if (!Times.due(delayUntilNs, nowNs)) {
            return false;
        }
        delaying = false;
        return skip();
    }

    private boolean skip() {
        committed.send++;
        trial.send++;
        retire();
        return true;
    }

    // Committing.

    void onTransmitted(TransmitList list, int units, boolean tail, long nowNs) {
        int from = 0;
        for (int i = 0; i < units; i++) {
            long tag = list.unitTag(i);
            if (tail && i == units - 1) {
                departures.tail(committed.send);
            }
            committed.position += list.unitEnd(i) - from;
            from = list.unitEnd(i);
            commit((int) tag & 0xff, (int) (tag >>> PAYLOAD_SHIFT), (tag & LAST) != 0, nowNs);
        }
        retire();
    }

    /** The rest of the last unit has left: its work is done now. */
    void onTailLeft(long nowNs) {
        departures.tailLeft(nowNs);
        retire();
    }

    private void commit(int kind, int payload, boolean last, long nowNs) {
        if (kind == MESSAGE && last) {
            work.at(committed.send, wqe);
            if (Opcodes.waitsForAnswer(wqe.opcode())) {
                outstanding.add(committed.send, committed.readMsn, Opcodes.atomic(wqe.opcode()));
            }
        }
        if (kind == ANSWER && last) {
            keys.readOver();
            inbound.release();
        }
        if (kind == PROBE) {
            keepAlive.sent(committed.readMsn);
        }
        if (kind == MESSAGE) {
            departures.messageLeft(nowNs);
        }
        if (kind == CHECK) {
            departures.checked();
        }
        advance(committed, kind, payload, last);
        talk.sent(nowNs);
    }

    /** The state behind a unit: the same rule for the trial and for what has left. */
    private void advance(TransmitState state, int kind, int payload, boolean last) {
        state.farewellLast = kind == FAREWELL;
        switch (kind) {
            case MESSAGE -> advanceWork(state, payload, last);
            case ANSWER -> {
                state.answerOffset += payload;
                if (last) {
                    state.atomicMsn += inbound.atomic(state.answer) ? 1 : 0;
                    state.answer++;
                    state.answerOffset = 0;
                    state.answersTurn = false;
                }
            }
            case TERMINATE -> state.terminated = true;
            case HELLO -> state.helloSent = true;
            case PROBE -> {
                state.readMsn++;
                state.readsOutstanding++;
            }
            case RTR -> {
                state.rtrSent = true;
                state.sendMsn += settings.rtr().orElseThrow() == RtrKind.SEND ? 1 : 0;
                // A Read as RTR frame takes a place at the peer like any other until it is answered.
                state.readMsn += settings.rtr().orElseThrow() == RtrKind.READ ? 1 : 0;
                state.readsOutstanding += settings.rtr().orElseThrow() == RtrKind.READ ? 1 : 0;
            }
            default -> {}
        }
    }

    private void advanceWork(TransmitState state, int payload, boolean last) {
        state.offset += payload;
        if (!last) {
            return;
        }
        work.at(state.send, wqe);
        WorkOpcode opcode = wqe.opcode();
        if (opcode == WorkOpcode.WRITE_WITH_IMMEDIATE && !state.immediateLeft) {
            // RFC 7306 section 6: a Write with immediate data is a Write and an Immediate Data message behind it.
            state.immediateLeft = true;
            return;
        }
        if (Opcodes.waitsForAnswer(opcode)) {
            state.readMsn++;
            state.readsOutstanding++;
        } else if (opcode != WorkOpcode.WRITE) {
            state.sendMsn++;
        }
        state.send++;
        state.offset = 0;
        state.immediateLeft = false;
        state.answersTurn = true;
    }

    /** A Read or atomic is answered in full. */
    void answered(long sendIndex) {
        committed.readsOutstanding -= outstanding.done(sendIndex);
        retire();
    }

    /** Whether our RTR frame has left. */
    boolean rtrLeft() {
        return committed.rtrSent;
    }

    /** The Read that was our RTR frame is answered. */
    void rtrAnswered() {
        committed.readsOutstanding--;
    }

    /** Completes, in order, all work that is done. */
    private void retire() {
        // After an end everything left is flushed, also what was done and found a CQ full: nothing succeeds behind
        // that.
        long left = departures.end(committed.send);
        while (!talk.ended()
                && !departures.contradictable()
                && work.retired() < left
                && !outstanding.waitsFor(work.retired())) {
            if (!queues.completeSend(CompletionStatus.SUCCESS)) {
                return;
            }
        }
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, committed.position);
        d = Digest.mix(d, committed.send);
        d = Digest.mix(d, committed.offset);
        d = Digest.mix(d, committed.answer);
        d = Digest.mix(d, committed.answerOffset);
        d = Digest.mix(d, (long) committed.sendMsn << 32 | committed.readMsn);
        d = Digest.mix(d, committed.readsOutstanding);
        d = departures.stateDigest(d);
        return Digest.mix(
                d,
                (committed.terminated ? 1 : 0)
                        | (committed.rtrSent ? 2 : 0)
                        | (delaying ? 4 : 0)
                        | (memoryAwaited ? 8 : 0)
                        | (committed.helloSent ? 16 : 0)
                        | (committed.farewellLast ? 32 : 0));
    }
}
