package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * One reliable connection of the InfiniBand transport as a pure engine.
 *
 * <pre>
 *        send queue           completion queues        receive queue
 *            |                       ^                       ^
 *        Requester <--- restarts --- Completer           Responder ---> Responses
 *            |                       ^                       ^              |
 *            |  requests             | answers       requests|              | answers
 *            +--------------------------- packets --------------------------+
 * </pre>
 *
 * Who calls has looked at the ICRC, the partition and the addresses already.
 */
public final class RcEngine {

    private final QueuePairWork owner;
    private final Requester requester;
    private final Completer completer;
    private final Responses responses;
    private final Responder responder;
    private final OneShotKeys oneShot;
    private Optional<Failure> failure = Optional.empty();

    /** A connection whose set-up is done. */
    public RcEngine(RcSettings settings, QueuePairWork owner, PacketPath path) {
        this.owner = owner;
        oneShot = new OneShotKeys(owner.regions(), settings.localQp());
        requester = new Requester(settings, owner, path);
        completer = new Completer(settings, owner, requester);
        responses = new Responses(settings, owner, path, oneShot);
        responder = new Responder(settings, owner, responses, oneShot);
    }

    // Up.

    /** A packet has come whose checksum is right and whose addresses are the connection's. */
    public void onPacket(IbPacket packet, MemorySegment segment, long nowNs) {
        IbOpcode opcode = packet.opcode();
        if (failure.isPresent() || opcode.service() != Service.RC) {
            return;
        }
        switch (opcode.operation()) {
            case ACKNOWLEDGE -> completer.onAcknowledge(packet, nowNs);
            case READ_RESPONSE -> completer.onReadResponse(packet, segment, nowNs);
            case ATOMIC_ACKNOWLEDGE -> completer.onAtomicResponse(packet, nowNs);
            default -> responder.onRequest(packet, segment);
        }
        settle();
    }

    // Down.

    /** Whether {@link #fillTransmit} has something to do now. */
    public boolean hasTransmitWork(long nowNs) {
        if (failure.isPresent()) {
            return responses.hasRefusal();
        }
        return responses.hasWork() || requestsReady(nowNs);
    }

    private boolean requestsReady(long nowNs) {
        return !completer.notReady() && requester.hasWork(completer.oldestPsn(), completer.oldest(), nowNs);
    }

    /** Builds packets until {@code byteBudget} is reached, the list is full or nothing is left. Answers come first. */
    public void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        int stop = out.bytes() + byteBudget;
        while (out.bytes() < stop && hasTransmitWork(nowNs)) {
            boolean answers = responses.hasWork() || failure.isPresent();
            boolean went = answers ? responses.step(out) : requester.step(out, completer.oldestPsn(), nowNs);
            completer.finish();
            settle();
            if (!went) {
                break;
            }
        }
        completer.sent(nowNs);
    }

    // Time.

    /** When {@link #onDeadline} wants to be called, {@link Times#NEVER} for never. */
    public long nextDeadlineNs() {
        if (failure.isPresent()) {
            return Times.NEVER;
        }
        return Times.earlier(completer.nextDeadlineNs(), requester.nextDeadlineNs());
    }

    /** A deadline has passed: {@link #hasTransmitWork} may be true now. */
    public void onDeadline(long nowNs) {
        if (failure.isEmpty()) {
            completer.onDeadline(nowNs);
            settle();
        }
    }

    // Memory.

    /** Whether memory is awaited. */
    public boolean suspended() {
        return requester.memoryAwaited() || responses.memoryAwaited();
    }

    /** Memory may be there now. */
    public void resume() {
        requester.resume();
        responses.resume();
    }

    // Control.

    /** What the peer may do on this queue pair, whatever the regions allow. */
    public void peerRights(Set<AccessRight> rights) {
        responder.peerRights(
                rights.contains(AccessRight.REMOTE_WRITE),
                rights.contains(AccessRight.REMOTE_READ),
                rights.contains(AccessRight.REMOTE_ATOMIC));
    }

    /** No work is begun from now on; {@link #drained} tells when all that was begun is complete (SQD). */
    public void drain(boolean on) {
        requester.drain(on);
    }

    /** Whether all work that was begun is complete. */
    public boolean drained() {
        return completer.idle();
    }

    /** Ends at once with a reason of the application. */
    public void abort(String sentence) {
        end(Failure.ofRequest(CompletionStatus.FLUSHED, sentence));
    }

    private void settle() {
        completer.failure().ifPresent(this::end);
        responder.failure().ifPresent(this::end);
        responses.failure().ifPresent(this::end);
    }

    private void end(Failure first) {
        if (failure.isEmpty()) {
            failure = Optional.of(first);
            oneShot.writeOver();
        }
    }

    /** Why the queue pair is in error, once it is. From then on packets are ignored; call {@link #flush} until it is true. */
    public Optional<Failure> failure() {
        return failure;
    }

    /**
     * After a failure: completes all work that is left, the culprit with its status and the rest flushed.
     *
     * @return false when a CQ is full and it must be called again
     */
    public boolean flush() {
        return owner.queues().flush(failure.map(Failure::status).orElse(CompletionStatus.FLUSHED));
    }

    /** Digest of all state, for trace hashes and exploration. */
    public long stateDigest() {
        long d = requester.stateDigest(1);
        d = completer.stateDigest(d);
        d = responses.stateDigest(d);
        d = responder.stateDigest(d);
        return Digest.mix(d, failure.isPresent() ? 1 : 0);
    }
}
