package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What both halves of a stream share: who may speak, and why and how it ends. The first cause of an end wins
 * (RFC 5040 section 7.1 [5]).
 */
final class Conversation {

    /**
     * How long an initiator waits for a first sign of the peer after its own first FPDU before it sends an empty Write.
     * Some responders leave an FPDU lying that arrives while they switch to RDMA mode, and look at it when the next one
     * comes.
     */
    private static final long FIRST_NUDGE_NS = 8_000_000;

    private static final int NUDGES = 5;

    private final boolean initiator;
    private final Parting parting;
    private boolean maySend;
    private boolean terminateWanted;
    private final TerminateNote note = new TerminateNote();
    private Optional<Ending> ending = Optional.empty();

    private boolean peerMayWrite = true;
    private boolean peerMayRead = true;
    private boolean peerMayDoAtomics = true;

    private boolean heard;
    private boolean spoke;
    private int nudges;
    private long nudgeAtNs;

    Conversation(boolean initiator) {
        this.initiator = initiator;
        this.parting = new Parting(initiator);
        // RFC 5044 section 7.1.2 [8]: a responder sends nothing before it has received and validated an FPDU.
        this.maySend = initiator;
    }

    Parting parting() {
        return parting;
    }

    boolean maySend() {
        return maySend;
    }

    /** A valid FPDU of the peer has arrived. */
    void heardFpdu() {
        maySend = true;
        heard = true;
    }

    /** An FPDU of ours has left. */
    void sent(long nowNs) {
        if (initiator && !heard && nudges < NUDGES) {
            if (spoke && Times.due(nudgeAtNs, nowNs)) {
                nudges++;
            }
            nudgeAtNs = Times.after(nowNs, FIRST_NUDGE_NS << 2 * nudges);
        }
        spoke = true;
    }

    /** The peer has ended its direction: it is not waited for any more. */
    void peerEnded() {
        nudges = NUDGES;
    }

    private boolean nudging() {
        return initiator && spoke && !heard && nudges < NUDGES && ending.isEmpty();
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

    /** Whether a Terminate message is to go out. Who may not send yet ends the stream without one. */
    boolean terminateWanted() {
        return terminateWanted && maySend;
    }

    TerminateNote terminateNote() {
        return note;
    }

    /** The peer did what it must not; its segment is not at hand or not a DDP segment. */
    void violation(TerminateCode code, CompletionStatus status) {
        AsyncEventType event = Faults.eventOf(code, RdmapOpcode.RESERVED);
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, event, "We ended the connection. " + blame(code))) {
            note.of(code);
            terminateWanted = true;
        }
    }

    /** The peer did what it must not; {@code blamed} was decoded from {@code segment}. */
    void violation(TerminateCode code, Ulpdu blamed, MemorySegment segment) {
        String what =
                blamed.describe(new StringBuilder(" It was: ")).append('.').toString();
        CompletionStatus status = Faults.ofPeerFault(code);
        AsyncEventType event = Faults.eventOf(code, blamed.opcode());
        String sentence = "We ended the connection. " + blame(code) + what;
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, event, sentence)) {
            note.of(code, blamed, segment);
            terminateWanted = true;
        }
    }

    /** The reason for the application of this side, which sends the Terminate message. */
    private static String blame(TerminateCode code) {
        return switch (code) {
            case RDMAP_OPERATION_UNSPECIFIED -> "The peer sent a message that is shorter than its kind requires.";
            case RDMAP_PROTECTION_UNSPECIFIED -> "The memory protection of this side refused an access of the peer.";
            default -> code.sentence();
        };
    }

    /** Our own work cannot be done: the stream cannot go on in order. */
    void localFailure(CompletionStatus status, String sentence) {
        TerminateCode code = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        String whole = "We ended the connection: " + sentence + ".";
        if (end(Ending.Kind.TERMINATED_BY_US, code, status, AsyncEventType.QP_FATAL, whole)) {
            note.of(code);
            terminateWanted = true;
        }
    }

    /**
     * The peer's Terminate message.
     *
     * @param status of the oldest work that is pending, unless other work was marked as the one to blame
     */
    void terminatedByPeer(TerminateCode code, CompletionStatus status) {
        end(
                Ending.Kind.TERMINATED_BY_PEER,
                code,
                status,
                AsyncEventType.TERMINATE_RECEIVED,
                "The peer ended the connection. " + code.sentence());
    }

    void lost(Ending.Kind kind, String sentence) {
        AsyncEventType event = switch (kind) {
            case BAD_CLOSE -> AsyncEventType.BAD_CLOSE;
            case BROKEN -> AsyncEventType.CONNECTION_RESET;
            default -> AsyncEventType.CONNECTION_LOST;
        };
        end(kind, TerminateCode.MPA_CONNECTION_LOST, CompletionStatus.CONNECTION_LOST, event, sentence);
    }

    void aborted(String sentence) {
        endQuietly(Ending.Kind.ABORTED, sentence);
    }

    void graceful() {
        endQuietly(Ending.Kind.GRACEFUL, "");
    }

    private void endQuietly(Ending.Kind kind, String sentence) {
        if (ending.isEmpty()) {
            ending = Optional.of(
                    new Ending(kind, TerminateCode.UNKNOWN, CompletionStatus.FLUSHED, Optional.empty(), sentence));
        }
    }

    private boolean end(
            Ending.Kind kind, TerminateCode code, CompletionStatus status, AsyncEventType event, String sentence) {
        if (ending.isPresent()) {
            return false;
        }
        ending = Optional.of(new Ending(kind, code, status, Optional.of(event), sentence));
        return true;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(
                parting.stateDigest(digest),
                (maySend ? 1 : 0) | (terminateWanted ? 2 : 0) | (heard ? 4 : 0) | (spoke ? 8 : 0));
        d = Digest.mix(d, nudging() ? nudgeAtNs * 8 + nudges : 0);
        return Digest.mix(d, ending.map(e -> 1L + e.kind().ordinal()).orElse(0L));
    }
}
