package io.verbena.ib.request;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.endpoint.RequestFigures;
import io.verbena.ib.packet.EarlyPackets;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.paths.Spray;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The completer of a reliable connection: applies acknowledgements, NAKs and responses to the outstanding work.
 *
 * <p>The oldest PSN without an answer is the state of progress. Everything before it is complete, in order. An
 * acknowledgement moves it over Sends and Writes, and never over a Read or atomic that has no response. An
 * acknowledgement beyond such a request means that the response was lost: the request is repeated from its first
 * missing packet (the <em>implied NAK</em>). Responses advance the PSN packet by packet. Source: InfiniBand
 * architecture specification, volume 1, sections 9.7.4 and 9.7.5.
 *
 * <p>Over 500 lines: one method for each answer of a responder, in the order of the chain.
 */
public final class Completer {

    private final QueuePairWork owner;
    private final WorkQueue work;
    private final Requester requester;
    private final MigratingPath path;
    private final PsnGuard guard;
    private final Retirement retirement;
    private final RetryCounters retries;
    private final ReadPlacement placement;
    private final Wqe wqe = new Wqe();
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    private int oldestPsn;
    private long oldest;
    private final RequestTimer timer;

    /** Responses that arrived early, with selective repeat. */
    private final Optional<EarlyResponses> early;

    private boolean responseMissing;

    private final Optional<PathAnswers> answers;

    public Completer(
            RcSettings settings,
            QueuePairWork owner,
            Requester requester,
            MigratingPath path,
            PsnGuard guard,
            Optional<Spray> spray) {
        this.guard = guard;
        answers = spray.map(PathAnswers::new);
        this.owner = owner;
        this.requester = requester;
        this.path = path;
        retries = new RetryCounters(settings);
        placement = new ReadPlacement(owner, requester, settings.mtuBytes(), settings.earlyPackets());
        work = owner.queues().send();
        retirement = new Retirement(owner);
        oldest = work.retired();
        timer = new RequestTimer(settings.ackTimeoutNs());
        oldestPsn = settings.firstSendPsn();
        early = settings.options().contains(RcOption.SELECTIVE_REPEAT)
                ? Optional.of(new EarlyResponses(work, oldestPsn, settings.earlyPackets()))
                : Optional.empty();
    }

    /** The oldest PSN without an answer. */
    public int oldestPsn() {
        return oldestPsn;
    }

    /** Index of the oldest element that is not complete. */
    public long oldest() {
        return oldest;
    }

    public Optional<Failure> failure() {
        return retirement.failure();
    }

    /** Whether the RNR timer runs: the peer had no receive, and nothing is sent. */
    public boolean notReady() {
        return timer.notReady();
    }

    /** Whether all work that was started is complete. */
    public boolean idle() {
        return oldest == requester.started();
    }

    // Answers.

    /** Processes an acknowledgement or a NAK. */
    public void onAcknowledge(IbPacket packet, long nowNs) {
        int psn = packet.bth().psn();
        if (implausible(psn)) {
            guard.onImplausible(nowNs);
        }
        if (Psn.distance(psn, requester.endPsn()) >= 0) {
            // The PSN was never sent. A correct peer does not acknowledge it.
            return;
        }
        onAckReceived(psn, nowNs);
        int syndrome = packet.aeth().syndrome();
        credits(packet);
        if (Psn.distance(psn, oldestPsn) < 0) {
            // An old acknowledgement. Its credits count, because receives may have been posted since.
            return;
        }
        switch (Syndrome.kind(syndrome)) {
            case ACK -> advance(Psn.plus(psn, 1), nowNs);
            case RNR_NAK -> onNotReady(psn, Syndrome.rnrNs(syndrome), nowNs);
            case NAK -> onNak(psn, syndrome, nowNs);
            case RESERVED -> {}
        }
        finish(nowNs);
    }

    /** Whether a PSN is that of a packet which the peer has not acknowledged. */
    public boolean awaits(int psn) {
        return Psn.distance(psn, oldestPsn) >= 0 && Psn.distance(psn, requester.endPsn()) < 0;
    }

    /**
     * The peer has answered, perhaps again: it lives. An answer that no correct peer sends proves nothing.
     */
    private void onAckReceived(int psn, long nowNs) {
        if (!implausible(psn)) {
            retries.onAckReceived();
            timer.onAckReceived(nowNs);
        }
    }

    private boolean implausible(int psn) {
        return Psn.distance(psn, requester.endPsn()) >= 0 || !PsnGuard.plausible(Psn.distance(psn, oldestPsn));
    }

    /** Processes an acknowledgement that also reports the packets that arrived after a lost one. */
    public void onSelectiveAcknowledge(IbPacket packet, MemorySegment segment, long nowNs) {
        int missing = Psn.plus(packet.bth().psn(), 1);
        if (packet.payloadBytes() != EarlyPackets.MAP_BYTES
                || Psn.distance(missing, oldestPsn) < 0
                || Psn.distance(missing, requester.endPsn()) >= 0
                || Syndrome.kind(packet.aeth().syndrome()) != Syndrome.Kind.ACK) {
            return;
        }
        onAckReceived(packet.bth().psn(), nowNs);
        credits(packet);
        advance(missing, nowNs);
        if (oldestPsn == missing && !timer.notReady() && oldest < requester.started()) {
            requester.onSelective(oldest, missing, segment, packet.payloadOffset());
        }
        finish(nowNs);
    }

    /** Processes an acknowledgement that reports which packets have arrived, and echoes the path of one. */
    public void onPathAcknowledge(IbPacket packet, MemorySegment segment, long nowNs) {
        int missing = Psn.plus(packet.bth().psn(), 1);
        if (implausible(packet.bth().psn())) {
            guard.onImplausible(nowNs);
            return;
        }
        if (answers.isEmpty() || !answers.get().valid(packet, segment, requester.endPsn())) {
            return;
        }
        onAckReceived(packet.bth().psn(), nowNs);
        credits(packet);
        answers.get().apply(packet, segment, nowNs);
        advance(missing, nowNs);
        takeEarly(nowNs);
        finish(nowNs);
    }

    /** The peer has answered whether a path works: it lives, and what this shows is applied. */
    public void onPathAnswered(long nowNs) {
        retries.onAckReceived();
        timer.onAckReceived(nowNs);
        finish(nowNs);
    }

    private void credits(IbPacket packet) {
        int syndrome = packet.aeth().syndrome();
        if (Syndrome.kind(syndrome) == Syndrome.Kind.ACK) {
            requester.onCredits(syndrome, packet.aeth().msn());
        }
    }

    private void onNotReady(int psn, long delayNs, long nowNs) {
        advance(psn, nowNs);
        if (oldestPsn != psn || timer.notReady()) {
            return;
        }
        retries.arrived();
        if (!retries.takeNotReady()) {
            fail(RequestFailures.RECEIVER_NOT_READY);
            return;
        }
        timer.startNotReady(delayNs, nowNs);
        requester.restartAll(oldest, oldestPsn);
    }

    private void onNak(int psn, int syndrome, long nowNs) {
        if (syndrome == Syndrome.NAK_INVALID_RD_REQUEST) {
            // This code is reserved on a connection.
            return;
        }
        advance(psn, nowNs);
        if (oldestPsn != psn) {
            return;
        }
        if (syndrome != Syndrome.NAK_PSN_SEQUENCE) {
            fail(RequestFailures.ofNak(syndrome));
        } else if (!timer
                .notReady()) { // while the RNR timer runs, the peer refuses the packets that followed the refused one
            onPacketLost(nowNs);
        }
    }

    /** Processes a packet of the response to a Read. */
    public void onReadResponse(IbPacket packet, MemorySegment segment, long nowNs) {
        if (!responseIsNext(packet, nowNs)) {
            boolean duplicate =
                    answers.isPresent() && early.orElseThrow().has(packet.bth().psn());
            if (early.isPresent() && !duplicate && placement.placeEarly(packet, segment, oldest, oldestPsn)) {
                responseEarly(packet.bth().psn(), nowNs);
            }
            finish(nowNs);
            return;
        }
        int response = Psn.distance(oldestPsn, requester.firstPsn(oldest));
        if (!placement.fits(oldest, response, packet)) {
            fail(RequestFailures.WRONG_LENGTH);
            return;
        }
        afterPlacement(placement.place(oldest, response, packet, segment), response, nowNs);
    }

    private void responseEarly(int psn, long nowNs) {
        early.orElseThrow().add(psn);
        if (answers.isPresent()) {
            answers.get().spray().responded(psn, nowNs);
        }
    }

    private void afterPlacement(Moved moved, int response, long nowNs) {
        if (moved == Moved.DONE) {
            onResponsePlaced(response, nowNs);
            takeEarly(nowNs);
        } else {
            notPlaced(moved);
        }
        finish(nowNs);
    }

    /** Completes work whose responses arrived early. */
    private void takeEarly(long nowNs) {
        while (early.isPresent() && oldest < requester.started()) {
            boolean missing = early.get().missing(oldestPsn);
            if (!waitsForAnswer(oldest) && missing) {
                advance(early.get().executedPsn(), nowNs);
            } else if (waitsForAnswer(oldest) && early.get().remove(oldestPsn)) {
                onResponsePlaced(Psn.distance(oldestPsn, requester.firstPsn(oldest)), nowNs);
            } else {
                responseMissing |= missing;
                return;
            }
        }
    }

    /** Requests only the missing responses again. */
    private void repeatMissing(EarlyResponses responses, long nowNs) {
        responseMissing = false;
        if (timer.notReady() || oldest == requester.started() || !waitsForAnswer(oldest)) {
            return;
        }
        if (responses.inWindow(oldestPsn)) {
            requester.onMissingResponses(oldest, oldestPsn, responses.map(requester, oldest, oldestPsn));
        } else {
            onPacketLost(nowNs);
        }
    }

    /** Processes the response to an atomic operation. */
    public void onAtomicResponse(IbPacket packet, long nowNs) {
        if (!responseIsNext(packet, nowNs)) {
            keepAtomicResult(packet, nowNs);
            finish(nowNs);
            return;
        }
        work.at(oldest, wqe);
        if (!Opcodes.atomic(wqe.opcode())) {
            fail(RequestFailures.WRONG_RESPONSE);
            return;
        }
        word.set(JAVA_LONG, 0, packet.atomicAckEth().originalData());
        afterPlacement(owner.buffers().scatter(wqe, 0, word, 0, Long.BYTES), 0, nowNs);
    }

    /** With several paths, a result that overtakes another response is as good as any. Otherwise it is requested again. */
    private void keepAtomicResult(IbPacket packet, long nowNs) {
        int psn = packet.bth().psn();
        if (answers.isEmpty() || early.isEmpty() || early.get().has(psn)) {
            return;
        }
        word.set(JAVA_LONG, 0, packet.atomicAckEth().originalData());
        if (placement.placeAtomicEarly(psn, word, oldest, oldestPsn)) {
            responseEarly(psn, nowNs);
        }
    }

    /** Whether a response is the expected one. A response also acknowledges everything before it. */
    private boolean responseIsNext(IbPacket packet, long nowNs) {
        int psn = packet.bth().psn();
        if (implausible(psn)) {
            guard.onImplausible(nowNs);
        }
        if (Psn.distance(psn, requester.endPsn()) >= 0) {
            return false;
        }
        onAckReceived(psn, nowNs);
        if (Psn.distance(psn, oldestPsn) < 0) {
            return false;
        }
        if (packet.opcode().hasAeth()) {
            credits(packet);
        }
        advance(psn, nowNs);
        // If the oldest PSN is still smaller, responses were lost, and advance() has repeated their request.
        return oldestPsn == psn && oldest < requester.started() && waitsForAnswer(oldest);
    }

    private void onResponsePlaced(int responsePacket, long nowNs) {
        if (early.isPresent()) {
            early.get().remove(oldestPsn);
        }
        if (answers.isPresent()) {
            answers.get().spray().responded(oldestPsn, nowNs);
        }
        oldestPsn = Psn.plus(oldestPsn, 1);
        if (requester.endsReadRequest(oldest, responsePacket)) {
            requester.onReadAnswered();
        }
        if (responsePacket + 1 == requester.packets(oldest)) {
            Region.publish();
            oldest++;
        }
        progressed(nowNs);
    }

    private void notPlaced(Moved moved) {
        if (moved == Moved.NOT_NOW) {
            // The request is repeated when the memory is available.
            requester.restartAll(oldest, oldestPsn);
            requester.awaitMemory();
        } else {
            fail(RequestFailures.ofPlacement(moved));
        }
    }

    private boolean waitsForAnswer(long index) {
        return requester.waitsForAnswer(index);
    }

    /** Everything before a PSN has arrived at the peer. */
    private void advance(int psn, long nowNs) {
        if (answers.isPresent()) {
            answers.get().spray().executed(psn, nowNs);
        }
        boolean progress = false;
        while (oldest < requester.started() && Psn.distance(psn, oldestPsn) > 0) {
            if (requester.packets(oldest) == 0) {
                oldest++;
                continue;
            }
            if (waitsForAnswer(oldest)) {
                if (progress) {
                    progressed(nowNs);
                }
                if (early.isPresent()) {
                    early.get().executed(psn);
                    responseMissing = true;
                } else {
                    onPacketLost(nowNs);
                }
                return;
            }
            int end = Psn.plus(requester.firstPsn(oldest), requester.packets(oldest));
            boolean whole = Psn.distance(psn, end) >= 0;
            oldestPsn = whole ? end : psn;
            oldest += whole ? 1 : 0;
            progress = true;
        }
        if (progress) {
            progressed(nowNs);
        }
    }

    /** Progress was made: the retry counters start again. */
    private void progressed(long nowNs) {
        if (early.isPresent()) {
            early.get().executed(oldestPsn);
        }
        if (answers.isPresent()) {
            answers.get().spray().complete(oldestPsn, nowNs);
        }
        retries.restore();
        timer.clear();
        requester.onAckReceived();
        setTimer(nowNs);
        // What was answered meanwhile is not sent again.
        requester.skipTo(oldest, oldestPsn);
    }

    /** The packet at the oldest PSN, or its answer, was lost. Everything from there on is sent again, once per PSN. */
    private void onPacketLost(long nowNs) {
        if (retries.restart(oldestPsn)) {
            requester.onAckReceived();
            retransmit(retries.takeRepetition(path), nowNs);
        }
    }

    private void retransmit(boolean permitted, long nowNs) {
        if (mayRepeat(permitted)) {
            timer.restart();
            requester.restartAll(oldest, oldestPsn);
            setTimer(nowNs);
        }
    }

    /** Fails if no retry is left. */
    private boolean mayRepeat(boolean permitted) {
        if (!permitted) {
            fail(retries.silent() ? RequestFailures.SILENT : RequestFailures.NEVER_ARRIVES);
        }
        return permitted;
    }

    private void finish(long nowNs) {
        if (answers.isPresent()) {
            detectLostPackets(answers.get(), nowNs);
        } else if (early.isPresent() && responseMissing && !retirement.failed()) {
            repeatMissing(early.get(), nowNs);
        }
        finish();
    }

    /** Sends again what is lost on its path. */
    private void detectLostPackets(PathAnswers paths, long nowNs) {
        if (paths.spray().settle(nowNs) && !retirement.failed() && !timer.notReady()) {
            requester.onLost(oldest);
        }
    }

    /** Completes finished work, in order. */
    public void finish() {
        while (oldest < requester.started() && requester.packets(oldest) == 0) {
            oldest++;
        }
        requester.complete(oldest);
        retirement.retire(oldest);
        if (oldest > requester.failedIndex()) {
            requester.dropLocalFailure();
        } else if (oldest == requester.failedIndex() && !retirement.failed()) {
            retirement.fail(requester.localFailure(), oldest);
        }
    }

    /**
     * Whether a Read waits for the invalidation of its key: other engines may still be using the key. {@link #finish}
     * continues.
     */
    public boolean invalidationPending() {
        return retirement.pending();
    }

    private void fail(Failure reason) {
        retirement.fail(reason, oldest);
    }

    /** Starts or stops the timer after packets were sent or answered: it runs while a packet is unanswered. */
    public void setTimer(long nowNs) {
        timer.run(Psn.distance(requester.endPsn(), oldestPsn) > 0, nowNs);
    }

    /** The time at which {@link #onDeadline} is due, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return answers.isPresent()
                ? Times.earlier(timer.nextDeadlineNs(), answers.get().spray().deadlineNs())
                : timer.nextDeadlineNs();
    }

    public void onDeadline(long nowNs) {
        if (answers.isPresent() && Times.due(answers.get().spray().deadlineNs(), nowNs)) {
            detectLostPackets(answers.get(), nowNs);
        }
        if (timer.notReadyExpired(nowNs)) {
            timer.endNotReady();
            setTimer(nowNs);
        } else if (timer.timedOut(nowNs)) {
            onProbeTimeout(nowNs);
        }
    }

    private void onProbeTimeout(long nowNs) {
        if (requester.waitsToRepeat(oldestPsn)) {
            // Nothing was sent again since the last time-out: memory, or the rate, did not permit it. The peer owes no
            // answer.
            timer.restart();
            setTimer(nowNs);
            return;
        }
        retries.restart(oldestPsn);
        timer.backOff();
        if (mayRepeat(retries.takeSilence(path, nowNs))) {
            timer.restart();
            requester.probe(oldest, oldestPsn);
            setTimer(nowNs);
        }
    }

    /** The system of the peer reports that no process has its port. */
    public void portGone() {
        retries.portGone();
    }

    public RequestFigures figures() {
        return requester.figures(oldestPsn, retries.timeouts());
    }

    public long stateDigest(long digest) {
        long d = retirement.stateDigest(Digest.mix(digest, oldest << 1 | (responseMissing ? 1 : 0)));
        d = early.isPresent() ? early.get().stateDigest(d) : d;
        return timer.stateDigest(retries.stateDigest(d, oldestPsn));
    }
}
