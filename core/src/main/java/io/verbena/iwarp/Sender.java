package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.FailedRequestFinder.Match;
import io.verbena.iwarp.frame.FpduFramer;
import io.verbena.iwarp.frame.FrameKind;
import io.verbena.iwarp.frame.FramingResult;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.TerminateReader;
import io.verbena.work.KeyWork;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The sending half of a stream: builds FPDUs from send work and from the answers to the peer's Reads.
 *
 * <p>Filling a list works on a trial state that starts from the committed one (see {@link TransmitState}). The units that left
 * are committed one by one. Messages are not interleaved: a message, request or answer, is sent completely before the next one
 * begins (RFC 5041 section 5.3 [1] requires the messages of a stream in order, and some receivers keep one tagged message at a
 * time).
 *
 * <p>Work without a frame (delay, invalidate, bind) and work that fails are handled only when everything before them has left,
 * so that discarding a trial state has no effect.
 *
 * <p>Over 500 lines: work of the queue and work that a post executes advance one committed state.
 */
final class Sender {

    private final StreamContext context;
    private final StreamSettings settings;
    private final StreamState stream;
    private final FarewellExchange farewells;
    private final WorkQueues queues;
    private final WorkQueue work;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;
    private final FailedRequestFinder failedRequests;
    private final RequestFrames requests;
    private final AnswerFrames answers;
    private final KeyWork keyWork;
    private Optional<DirectWork> direct = Optional.empty();
    private Optional<ShortFrames> frames = Optional.empty();
    private final Optional<SendRun> run;
    private final Optional<SurvivingWork> surviving;
    private final Optional<RecoveredWork> recovery;
    private final CompletionGate gate = new CompletionGate();
    private final SendSchedule schedule;

    private final TransmitState committed = new TransmitState();
    private final TransmitState trial = new TransmitState();
    private final Wqe wqe = new Wqe();

    Sender(StreamContext context) {
        this.context = context;
        settings = context.settings();
        stream = context.state();
        farewells = stream.farewells();
        queues = context.queuePair().queues();
        work = queues.send();
        inbound = context.inbound();
        outstanding = context.outstanding();
        failedRequests = new FailedRequestFinder(work, outstanding);
        FpduFramer framer = new FpduFramer(settings.crc(), settings.sendMarkers());
        requests = new RequestFrames(context, framer);
        answers = new AnswerFrames(context, framer);
        keyWork = new KeyWork(context.queuePair());
        schedule = new SendSchedule(context, gate);
        surviving = context.surviving();
        recovery = surviving.map(it -> new RecoveredWork(context, it));
        run = settings.crc() || settings.sendMarkers() ? Optional.empty() : Optional.of(new SendRun(context));
        committed.send = work.retired();
    }

    // State.

    boolean hasWork(long nowNs) {
        return schedule.hasWork(committed, nowNs);
    }

    /** Whether all posted work has left and is answered, and all the peer's Reads are answered. */
    boolean drained() {
        return schedule.drained(committed);
    }

    /** Whether everything has been sent, so that this direction may end gracefully. */
    boolean mayEnd() {
        return schedule.mayEnd(committed);
    }

    /** Whether only the farewell is left to be sent. */
    boolean farewellDue() {
        return schedule.farewellDue(committed, committed);
    }

    boolean terminateSent() {
        return committed.terminated;
    }

    /** Whether the RTR frame of this side has left. */
    boolean rtrSent() {
        return committed.rtrSent;
    }

    long nextDeadlineNs() {
        return schedule.nextDeadlineNs(committed);
    }

    boolean memoryAwaited() {
        return schedule.memoryAwaited();
    }

    /** The work that the peer's Terminate message reports as the cause. */
    Match failedRequest(TerminateReader terminate, MemorySegment segment) {
        return failedRequests.find(terminate, segment, committed.send, committed.sendMsn);
    }

    // Events.

    /** The peer has ended its direction. */
    void onPeerEnded() {
        gate.onPeerEnded();
        if (surviving.isPresent()) {
            retire();
        }
    }

    /** Memory that was not available may be available now. */
    void onMemory() {
        schedule.onMemory();
    }

    /** The keep-alive probe is answered. */
    void onProbeAnswered() {
        context.keepAlive().onAnswered(work.retired() == committed.send);
        committed.readsOutstanding--;
    }

    /** The Read that was the RTR frame of this side is answered. */
    void onRtrAnswered() {
        committed.readsOutstanding--;
    }

    /** A Read or atomic is answered completely. */
    void onAnswered(long sendIndex) {
        committed.readsOutstanding -= outstanding.done(sendIndex);
        if (surviving.isPresent()) {
            surviving.get().onAnswered(sendIndex);
        }
        retire();
    }

    /** The peer of a surviving connection has stated what it has executed. */
    void onAcknowledged() {
        retire();
    }

    // Work that is executed where it is posted.

    /** Short frames may be sent outside of a turn from now on. */
    void frames(FramePath path) {
        if (!settings.crc() && !settings.sendMarkers()) {
            frames = Optional.of(new ShortFrames(path, context));
        }
    }

    /** The operations that {@link #execute} may execute, a bit for each. */
    int executed() {
        return (direct.isPresent() ? DirectWork.OPERATIONS : 0) | (frames.isPresent() ? ShortFrames.OPERATIONS : 0);
    }

    /** Executes and completes a request that is not in the send queue, if that is possible now. */
    boolean execute(Wqe posted) {
        if (!idle() || !queues.mayComplete(posted)) {
            return false;
        }
        boolean done = direct.isPresent() && direct.get().executeAtOnce(posted, committed.send);
        if (!done && !frameAtOnce(posted)) {
            return false;
        }
        queues.completePosted(posted);
        return true;
    }

    /** Sends the only frame of a request that is not in the send queue. */
    private boolean frameAtOnce(Wqe posted) {
        // Before the peer has sent anything, frames have a deadline that a turn sets.
        if (frames.isEmpty()
                || !stream.received()
                || direct.isPresent() && direct.get().lacksGrant(posted)) {
            return false;
        }
        int length = frames.get().send(posted, committed);
        if (length == 0) {
            return false;
        }
        committed.position += length;
        committed.sendMsn += posted.opcode() == WorkOpcode.WRITE ? 0 : 1;
        committed.answersTurn = true;
        committed.farewellLast = false;
        return true;
    }

    /** Whether the send queue is empty, and nothing that is not in it has to be sent before a request. */
    private boolean idle() {
        long next = committed.send;
        return work.retired() == next
                && work.posted() == next
                && committed.atMessageBoundary()
                && !schedule.blocked()
                && !schedule.rtrDue(committed)
                && !farewells.helloDue(committed)
                && !gate.peerEnded();
    }

    // Filling.

    /** Work may be executed on memory of the peer from now on. */
    void direct(DirectPath path) {
        direct = Optional.of(new DirectWork(path, context));
    }

    /** The bytes that {@link #fill} has copied from or to memory of the peer, and not to the list. */
    int takeDirectBytes() {
        return direct.isPresent() ? direct.get().takeCost() : 0;
    }

    void fill(TransmitList list, int byteBudget, long nowNs) {
        trial.copyFrom(committed);
        while (list.bytes() + (direct.isPresent() ? direct.get().cost() : 0) < byteBudget && frameNext(list, nowNs)) {
            frameRun(list, byteBudget);
        }
    }

    /** Adds short messages, if nothing else is due. The list has units, so that what must be its first one is not. */
    private void frameRun(TransmitList list, int byteBudget) {
        if (run.isPresent()
                && direct.isEmpty()
                && list.units() > 0
                && trial.atMessageBoundary()
                && !trial.terminated
                && !inbound.has(trial.answer)
                && !stream.terminateDue()
                && !schedule.blocked()
                && !schedule.rtrDue(trial)
                && !farewells.helloDue(trial)) {
            run.get().fill(list, trial, wqe, byteBudget);
        }
    }

    /** Adds the next frame to the list, or executes work without a frame. Returns false when there is nothing to add now. */
    private boolean frameNext(TransmitList list, long nowNs) {
        if (stream.terminateDue()) {
            // RFC 5040 section 5.4 [8]: one Terminate message, and nothing after it.
            return !trial.terminated
                    && frameRequest(list, requests.terminate(list, trial, stream.terminate()), FrameKind.TERMINATE);
        }
        if (schedule.blocked()) {
            return false;
        }
        if (schedule.rtrDue(trial)) {
            RtrKind kind = settings.rtr().orElseThrow();
            return frameRequest(list, requests.rtr(list, trial, kind, farewells.rtrAddress()), FrameKind.RTR);
        }
        if (farewells.helloDue(trial)) {
            return frameEmptyWrite(list, FarewellExchange.HELLO, FrameKind.HELLO);
        }
        if (schedule.acknowledgmentDue(trial, nowNs)) {
            return frameEmptyWrite(list, surviving.orElseThrow().acknowledgment(), FrameKind.ACKNOWLEDGMENT);
        }
        if (list.units() == 0 && trial.offset == 0 && trial.answerOffset == 0 && stream.nudgeDue(nowNs)) {
            return frameEmptyWrite(list, 0, FrameKind.NUDGE);
        }
        if (list.units() == 0 && schedule.probeDue(trial)) {
            return frameRequest(list, requests.probe(list, trial), FrameKind.PROBE);
        }
        if (list.units() == 0 && schedule.finCheckDue(trial, nowNs)) {
            return frameEmptyWrite(list, 0, FrameKind.FIN_CHECK);
        }
        return frameMessage(list, nowNs);
    }

    /** Answers and work take turns, message by message. */
    private boolean frameMessage(TransmitList list, long nowNs) {
        if (trial.answerOffset > 0) {
            return frameAnswer(list);
        }
        boolean answerReady = inbound.has(trial.answer);
        boolean workReady = schedule.workReady(trial, nowNs);
        if (answerReady && (trial.answersTurn || !workReady) && trial.offset == 0 && !trial.immediateLeft) {
            return frameAnswer(list);
        }
        if (!workReady && list.units() == 0 && schedule.farewellDue(trial, committed)) {
            return farewells.peerComplete()
                    ? frameEmptyWrite(list, FarewellExchange.CONFIRMATION, FrameKind.CONFIRMATION)
                    : frameEmptyWrite(list, FarewellExchange.FAREWELL, FrameKind.FAREWELL);
        }
        return workReady && frameWork(list, nowNs);
    }

    private boolean frameWork(TransmitList list, long nowNs) {
        work.at(trial.send, wqe);
        if (recovery.isPresent() && trial.atMessageBoundary() && recovery.get().applies(wqe)) {
            return atFront() && recover();
        }
        return switch (wqe.opcode()) {
            case LOCAL_INVALIDATE, BIND, UNBIND -> workOnKeys();
            case DELAY -> atFront() && schedule.delay(wqe.operand1(), nowNs) && skip();
            default -> {
                if (direct.isPresent() && trial.atMessageBoundary() && !gate.peerEnded()) {
                    DirectWork.Outcome outcome = workDirectly(list, direct.get());
                    if (outcome != DirectWork.Outcome.REMOTE) {
                        yield directlyWorked(outcome);
                    }
                }
                yield frameRequest(list, requests.work(list, trial, wqe), FrameKind.MESSAGE);
            }
        };
    }

    /** Work is executed on memory of the peer after everything before it has left. */
    private DirectWork.Outcome workDirectly(TransmitList list, DirectWork directWork) {
        if (atFront() && list.units() == 0) {
            return directWork.execute(wqe, trial.send);
        }
        return directWork.prefers(wqe, trial.send) ? DirectWork.Outcome.WAIT : DirectWork.Outcome.REMOTE;
    }

    private boolean directlyWorked(DirectWork.Outcome outcome) {
        return switch (outcome) {
            case DONE -> skip();
            case MORE -> true;
            case NOT_NOW -> {
                schedule.awaitMemory();
                yield false;
            }
            case LOST -> failWork(CompletionStatus.LOCAL_MEMORY, RecoveredWork.NOT_STORED);
            case WAIT, REMOTE -> false;
        };
    }

    private boolean frameEmptyWrite(TransmitList list, long address, FrameKind kind) {
        return frameRequest(list, requests.emptyWrite(list, trial, address), kind);
    }

    /** Handles the result of framing a request. Returns whether to continue. */
    private boolean frameRequest(TransmitList list, FramingResult result, FrameKind kind) {
        if (result == FramingResult.DONE) {
            return endUnit(list, kind, requests.wireLength(), requests.payload(), requests.last());
        }
        if (result == FramingResult.NOT_NOW) {
            schedule.awaitMemory();
        }
        return result.failed() && failWork(result.status(), result.sentence());
    }

    private boolean frameAnswer(TransmitList list) {
        switch (answers.next(list, trial)) {
            case DONE -> {
                return endUnit(list, FrameKind.ANSWER, answers.wireLength(), answers.payload(), answers.last());
            }
            case NOT_NOW -> schedule.awaitMemory();
            case REFUSED -> {
                if (trial.answer == committed.answer) {
                    stream.violation(Faults.ofRead(answers.verdict()), CompletionStatus.REMOTE_ACCESS);
                }
            }
            default -> {}
        }
        return false;
    }

    private boolean endUnit(TransmitList list, FrameKind kind, int wireLength, int payload, boolean last) {
        list.endUnit(kind.tag(payload, last));
        trial.position += wireLength;
        advance(trial, kind, payload, last);
        return true;
    }

    // Work without a frame.

    /** Whether everything before the work in progress has left, so that executing it need not be undone. */
    private boolean atFront() {
        return trial.send == committed.send;
    }

    /** Ends the stream because the work in progress cannot be executed, once everything before it has left. */
    private boolean failWork(CompletionStatus status, String sentence) {
        if (atFront() && trial.offset == committed.offset) {
            wqe.fail(status);
            stream.localFailure(status, sentence);
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
                schedule.awaitMemory();
                yield false;
            }
            default ->
                wqe.opcode() == WorkOpcode.LOCAL_INVALIDATE
                        ? failWork(
                                CompletionStatus.LOCAL_OPERATION,
                                "the key to invalidate is not valid or belongs to another protection domain")
                        : failWork(
                                CompletionStatus.BIND_FAILED,
                                "a key cannot be bound or unbound: "
                                        + keyWork.verdict().sentence());
        };
    }

    /** The next element needs no frame, or only that of its immediate data: an earlier stream has had it executed. */
    private boolean recover() {
        return switch (recovery.orElseThrow().apply(wqe)) {
            case DONE -> skip();
            case MORE -> {
                committed.immediateLeft = true;
                trial.immediateLeft = true;
                yield true;
            }
            case NOT_NOW -> {
                schedule.awaitMemory();
                yield false;
            }
            case LOST -> failWork(CompletionStatus.LOCAL_MEMORY, RecoveredWork.NOT_STORED);
        };
    }

    private boolean skip() {
        if (surviving.isPresent()) {
            surviving.get().onSkipped(committed.send);
        }
        committed.send++;
        trial.send++;
        retire();
        return true;
    }

    // Committing.

    void onTransmitted(TransmitList list, int units, boolean tail, long nowNs) {
        int from = 0;
        for (int i = 0; i < units; i++) {
            if (tail && i == units - 1) {
                gate.onTailPending(committed.send);
            }
            committed.position += list.unitEnd(i) - from;
            from = list.unitEnd(i);
            commit(list.unitTag(i), nowNs);
        }
        retire();
    }

    /** The stream lent payload of what it accepted and {@link #onTransmitted} will report. */
    void onLent(long loan) {
        gate.onLent(committed.send, loan);
    }

    /** The peer has returned loans. */
    void onReturned(long loan) {
        gate.onReturned(loan);
        retire();
    }

    void onWithdrawn() {
        gate.onWithdrawn();
    }

    boolean lends() {
        return gate.lends();
    }

    /** The rest of the last unit has left, which completes its work. */
    void onTailLeft(long nowNs) {
        gate.onTailSent(nowNs);
        retire();
    }

    private void commit(long tag, long nowNs) {
        FrameKind kind = FrameKind.ofTag(tag);
        boolean last = FrameKind.lastOfTag(tag);
        switch (kind) {
            case MESSAGE -> {
                work.at(committed.send, wqe);
                if (last && wqe.awaitsResponse()) {
                    outstanding.add(committed.send, committed.readMsn, wqe.atomic());
                }
                if (last && surviving.isPresent()) {
                    boolean half = wqe.opcode() == WorkOpcode.WRITE_WITH_IMMEDIATE && !committed.immediateLeft;
                    surviving.get().onSent(committed.send, wqe, half);
                    onWorkSent(RequestFrames.hints(wqe, half), nowNs);
                }
                gate.onMessageSent(nowNs);
            }
            case WHOLE_SEND, WHOLE_WRITE -> {
                if (surviving.isPresent()) {
                    surviving.get().onSentWhole();
                    onWorkSent(kind == FrameKind.WHOLE_SEND, nowNs);
                }
                gate.onMessageSent(nowNs);
            }
            case ANSWER -> {
                if (last) {
                    inbound.release(context.oneShot());
                }
            }
            case PROBE -> context.keepAlive().onSent(committed.readMsn);
            case FIN_CHECK -> gate.onChecked();
            case ACKNOWLEDGMENT -> surviving.ifPresent(it -> it.counts().onStated(it.count(), nowNs));
            default -> {}
        }
        advance(committed, kind, FrameKind.payloadOfTag(tag), last);
        stream.onSent(nowNs);
        context.keepAlive().onFrameSent(nowNs);
    }

    private void onWorkSent(boolean hints, long nowNs) {
        SurvivingWork requests = surviving.orElseThrow();
        requests.counts().onWorkSent(nowNs);
        if (hints) {
            requests.counts().onHinted(requests.count(), nowNs);
        }
    }

    /** The stream was read within a turn, and {@code more} can be read. */
    void onRead(boolean more, long nowNs) {
        if (surviving.isPresent()) {
            surviving.get().counts().onRead(more, nowNs);
        }
    }

    /** Advances a state by one unit: the same rule for the trial state and for the committed one. */
    private void advance(TransmitState state, FrameKind kind, int payload, boolean last) {
        state.confirmationLast = kind == FrameKind.CONFIRMATION;
        state.farewellLast = state.confirmationLast || kind == FrameKind.FAREWELL;
        switch (kind) {
            case MESSAGE -> advanceWork(state, payload, last);
            case WHOLE_SEND, WHOLE_WRITE -> state.advanceWhole(kind == FrameKind.WHOLE_SEND);
            case ANSWER -> state.advanceAnswer(payload, last, inbound.atomic(state.answer));
            case TERMINATE -> state.terminated = true;
            case HELLO -> state.helloSent = true;
            case ACKNOWLEDGMENT -> state.stated = surviving.orElseThrow().count();
            case PROBE -> state.addRead();
            case RTR -> state.advanceRtr(settings.rtr().orElseThrow());
            default -> {}
        }
    }

    /** The flyweight is at the work of the state: framing and committing have looked at it. */
    private void advanceWork(TransmitState state, int payload, boolean last) {
        state.offset += payload;
        if (!last) {
            return;
        }
        WorkOpcode opcode = wqe.opcode();
        if (opcode == WorkOpcode.WRITE_WITH_IMMEDIATE && !state.immediateLeft) {
            // RFC 7306 section 6: a Write with immediate data is a Write and an Immediate Data message after it.
            state.immediateLeft = true;
            return;
        }
        if (wqe.awaitsResponse()) {
            state.addRead();
        } else if (opcode != WorkOpcode.WRITE) {
            state.sendMsn++;
        }
        state.send++;
        state.offset = 0;
        state.immediateLeft = false;
        state.answersTurn = true;
    }

    /** Completes, in order, all work that is done. */
    private void retire() {
        // After an end all remaining work is flushed, including work that was done but found a CQ full.
        long limit = gate.limit(committed.send);
        while (!stream.ended()
                && !gate.contradictable()
                && work.retired() < limit
                && !outstanding.waitsFor(work.retired())) {
            if (!complete()) {
                return;
            }
        }
    }

    /**
     * Completes the oldest element. Returns false if its completion queue is full, or the peer may not have executed
     * it.
     */
    private boolean complete() {
        if (surviving.isEmpty()) {
            return queues.completeSend(CompletionStatus.SUCCESS);
        }
        SurvivingWork requests = surviving.get();
        if (!gate.peerEnded() && !requests.oldestExecuted()) {
            return false;
        }
        int retiring = requests.retiring();
        if (!queues.completeSend(CompletionStatus.SUCCESS)) {
            return false;
        }
        requests.onRetired(retiring);
        return true;
    }

    long stateDigest(long digest) {
        long d = schedule.stateDigest(gate.stateDigest(committed.stateDigest(digest)));
        d = surviving.isPresent() ? Digest.mix(d, surviving.get().stateDigest()) : d;
        return direct.isPresent() ? direct.get().stateDigest(d) : d;
    }
}
