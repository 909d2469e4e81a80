package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.iwarp.frame.TerminateBuilder;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * State that both halves of a stream share: whether this side may send, what the peer may do, and why and how the stream ends.
 * The first cause of an end wins (RFC 5040 section 7.1 [5]).
 */
public final class StreamState {

    /**
     * How long an initiator waits for the peer's first FPDU, after its own first one, before it sends an empty Write (a
     * nudge). Some responders leave an FPDU unread that arrives while they switch to RDMA mode, and read it when the next one
     * arrives.
     */
    private static final long FIRST_NUDGE_NS = 8_000_000;

    private static final int MAX_NUDGES = 5;

    private final boolean initiator;
    private final FarewellExchange farewells;
    private boolean maySend;
    private boolean terminatePending;
    private final TerminateBuilder terminate = new TerminateBuilder();
    private Optional<Ending> ending = Optional.empty();

    private boolean peerMayWrite = true;
    private boolean peerMayRead = true;
    private boolean peerMayDoAtomics = true;

    private boolean received;
    private boolean sent;
    private int nudges;
    private long nudgeAtNs;

    StreamState(boolean initiator) {
        this.initiator = initiator;
        this.farewells = new FarewellExchange(initiator);
        // RFC 5044 section 7.1.2 [8]: a responder sends nothing before it has received and validated an FPDU.
        this.maySend = initiator;
    }

    FarewellExchange farewells() {
        return farewells;
    }

    boolean maySend() {
        return maySend;
    }

    /** A valid FPDU of the peer has arrived. */
    void onReceived() {
        maySend = true;
        received = true;
    }

    /** Whether an FPDU of the peer has arrived: from then on nothing depends on when FPDUs of this side leave. */
    boolean received() {
        return received;
    }

    /** An FPDU of this side has left. */
    void onSent(long nowNs) {
        if (initiator && !received && nudges < MAX_NUDGES) {
            if (sent && Times.due(nudgeAtNs, nowNs)) {
                nudges++;
            }
            nudgeAtNs = Times.after(nowNs, FIRST_NUDGE_NS << 2 * nudges);
        }
        sent = true;
    }

    /** The peer has ended its direction: no FPDU of it is awaited any more. */
    void onPeerEnded() {
        nudges = MAX_NUDGES;
    }

    private boolean nudging() {
        return initiator && sent && !received && nudges < MAX_NUDGES && ending.isEmpty();
    }

    boolean nudgeDue(long nowNs) {
        return nudging() && Times.due(nudgeAtNs, nowNs);
    }

    long nudgeDeadlineNs() {
        return nudging() ? nudgeAtNs : Times.NEVER;
    }

    void peerRights(boolean write, boolean read, boolean atomics) {
        peerMayWrite = write;
        peerMayRead = read;
        peerMayDoAtomics = atomics;
    }

    boolean peerMayWrite() {
        return peerMayWrite;
    }

    boolean peerMayRead() {
        return peerMayRead;
    }

    boolean peerMayDoAtomics() {
        return peerMayDoAtomics;
    }

    boolean ended() {
        return ending.isPresent();
    }

    Optional<Ending> ending() {
        return ending;
    }

    /** Whether a Terminate message must be sent. A side that may not send yet ends the stream without one. */
    boolean terminateDue() {
        return terminatePending && maySend;
    }

    /** The contents of the Terminate message. */
    TerminateBuilder terminate() {
        return terminate;
    }

    /** The peer violated a protocol; its segment is not available, or the fault is not in a DDP segment. */
    void violation(TerminateCode code, CompletionStatus status) {
        AsyncEventType event = Faults.eventOf(code, RdmapOpcode.RESERVED);
        String sentence = "We ended the connection. " + Faults.violationSentence(code);
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, event, sentence)) {
            terminate.reason(code);
            terminatePending = true;
        }
    }

    /** The peer violated a protocol with the segment {@code faulty}, which was decoded from {@code segment}. */
    void violation(TerminateCode code, Ulpdu faulty, MemorySegment segment) {
        String what =
                faulty.describe(new StringBuilder(" It was: ")).append('.').toString();
        CompletionStatus status = Faults.ofPeerFault(code);
        AsyncEventType event = Faults.eventOf(code, faulty.opcode());
        String sentence = "We ended the connection. " + Faults.violationSentence(code) + what;
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, event, sentence)) {
            terminate.reason(code, faulty, segment);
            terminatePending = true;
        }
    }

    /** Work of this side cannot be executed, so the stream cannot continue in order. */
    void localFailure(CompletionStatus status, String reason) {
        catastrophe(status, "We ended the connection: " + reason + ".");
    }

    /** Registered memory ceased to exist, as the sentence explains. */
    void memoryLost(String sentence) {
        catastrophe(CompletionStatus.LOCAL_MEMORY, "We ended the connection. " + sentence);
    }

    private void catastrophe(CompletionStatus status, String sentence) {
        TerminateCode code = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, AsyncEventType.QP_FATAL, sentence)) {
            terminate.reason(code);
            terminatePending = true;
        }
    }

    /**
     * The peer sent a Terminate message.
     *
     * @param status of the oldest pending work, unless other work was marked as the failed one
     */
    void terminatedByPeer(TerminateCode code, CompletionStatus status) {
        end(
                Ending.Kind.TERMINATED_BY_PEER,
                code,
                status,
                AsyncEventType.TERMINATE_RECEIVED,
                "The peer ended the connection. " + code.sentence());
    }

    void connectionLost(Ending.Kind kind, String sentence) {
        AsyncEventType event = switch (kind) {
            case BAD_CLOSE -> AsyncEventType.BAD_CLOSE;
            case BROKEN -> AsyncEventType.CONNECTION_RESET;
            default -> AsyncEventType.CONNECTION_LOST;
        };
        end(kind, TerminateCode.MPA_CONNECTION_LOST, CompletionStatus.CONNECTION_LOST, event, sentence);
    }

    void aborted(String sentence) {
        endWithoutFault(Ending.Kind.ABORTED, sentence);
    }

    /**
     * The same, and the peer learns it by a Terminate message, if this side may send one: after a reset it tries to
     * continue the
     * connection.
     */
    void abortedForGood(String sentence) {
        if (ending.isPresent() || !maySend) {
            aborted(sentence);
            return;
        }
        TerminateCode code = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        ending = Optional.of(new Ending(
                Ending.Kind.TERMINATED_BY_US, Optional.of(code), CompletionStatus.FLUSHED, Optional.empty(), sentence));
        terminate.reason(code);
        terminatePending = true;
    }

    void graceful() {
        endWithoutFault(Ending.Kind.GRACEFUL, "");
    }

    private void endWithoutFault(Ending.Kind kind, String sentence) {
        if (ending.isEmpty()) {
            ending = Optional.of(
                    new Ending(kind, Optional.empty(), CompletionStatus.FLUSHED, Optional.empty(), sentence));
        }
    }

    /** Records the first cause of the end. Returns false if there was one before. */
    private boolean end(
            Ending.Kind kind, TerminateCode code, CompletionStatus status, AsyncEventType event, String sentence) {
        if (ending.isPresent()) {
            return false;
        }
        ending = Optional.of(new Ending(kind, Optional.of(code), status, Optional.of(event), sentence));
        return true;
    }

    long stateDigest(long digest) {
        long flags =
                Digest.flags(maySend, terminatePending, received, sent, peerMayWrite, peerMayRead, peerMayDoAtomics);
        long d = Digest.mix(farewells.stateDigest(digest), flags);
        d = Digest.mix(d, nudging() ? nudgeAtNs * 8 + nudges : 0);
        return Digest.mix(d, ending.map(Ending::stateDigest).orElse(0L));
    }
}
