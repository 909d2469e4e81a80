package io.verbena.survival;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import io.verbena.base.StateMachine;
import io.verbena.base.Times;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * One side of an association: survives the end of its queue pair by resuming over another one. Each attempt has an
 * epoch of its own, higher than every one before it, so that a lost, late or repeated message is recognized by its
 * epoch alone.
 *
 * <p>The owner reports what happened and then does the {@linkplain #poll steps}, in their order. One thread at a time.
 *
 * @param <R> the requests of this side
 */
public final class Association<R extends ResumableRequests> {

    private final int side;
    private final AssociationSettings settings;
    private final AddressChoice addresses;
    private final R requests;
    private final ExecutionRecord executions;
    private final StateMachine<AssociationState, AssociationEvent> machine =
            new StateMachine<>(AssociationTable.TABLE, AssociationState.CARRIED);
    private final Queue<AssociationStep> steps = new ArrayDeque<>();

    /** Of the queue pair that carries requests, or did so last. */
    private long epoch = 1;

    /** The highest epoch of a RESUME that this side has sent or accepted. */
    private long highest = 1;

    /** The epoch that the peer has stated in STALE. */
    private long toExceed;

    /** The RESUME that is answered when the fence is complete. */
    private Optional<ResumeMessage> pending = Optional.empty();

    /** The address whose connection carries requests; none if the peer has opened it. */
    private int carrier;

    /**
     * {@link #progress} when the current queue pair began: one that achieves nothing does not end the pauses of
     * addresses.
     */
    private long carriedFrom;

    private long attemptEndsNs = Times.NEVER;
    private long givesUpNs = Times.NEVER;

    /**
     * An association whose first queue pair, of epoch 1, carries requests.
     *
     * @param side 0 if this side opened the first connection, 1 if it accepted it
     * @param addresses number of addresses of the peer, the first of which carries the first connection; 0 if only the
     *     peer opens connections
     * @param requests of this side
     * @param executions of requests of the peer
     */
    public Association(
            int side,
            int addresses,
            AssociationSettings settings,
            R requests,
            ExecutionRecord executions,
            RandomSource random) {
        if (side != 0 && side != 1) {
            throw new IllegalArgumentException("side must be 0 or 1, not " + side);
        }
        this.side = side;
        this.settings = settings;
        carrier = side == 0 ? 0 : AddressChoice.NONE;
        this.addresses = new AddressChoice(addresses, settings.firstPause(), settings.longestPause(), random);
        this.requests = requests;
        this.executions = executions;
    }

    /**
     * The queue pair of this epoch has failed, or the application wants another one. Ignored unless it is the current
     * one.
     */
    public void transportEnded(long ended, long nowNs) {
        if (ended == epoch && state() == AssociationState.CARRIED) {
            machine.on(AssociationEvent.TRANSPORT_ENDED);
            if (progressed()) {
                addresses.worked();
            }
            if (carrier != AddressChoice.NONE) {
                addresses.failed(carrier, nowNs);
            }
            fence(nowNs);
        }
    }

    /** The address that is tried first when the queue pair has ended: the peer answers there. */
    public void prefer(int address) {
        addresses.prefer(address);
    }

    /** The address after one of them that does not carry requests; {@link AddressChoice#NONE} if there is none. */
    public int otherAddress(int after) {
        return state() == AssociationState.CARRIED ? addresses.other(after, carrier) : AddressChoice.NONE;
    }

    private void fence(long nowNs) {
        givesUpNs = Times.after(nowNs, Times.nanos(settings.patience()));
        steps.add(new AssociationStep.Fence(epoch));
    }

    /**
     * No engine executes work of the old queue pair any more, or completes requests that were sent over it: the
     * requests and {@link #executions} do not change.
     */
    public void fenced(long nowNs) {
        machine.on(AssociationEvent.FENCED);
        if (state() == AssociationState.CARRIED) {
            answer(pending.orElseThrow());
        } else if (state() == AssociationState.PAUSED) {
            attempt(nowNs);
        }
    }

    private void attempt(long nowNs) {
        if (addresses.allRefused()) {
            giveUp(LostReason.UNKNOWN_TO_PEER);
            return;
        }
        int address = addresses.next(nowNs);
        if (address == AddressChoice.NONE) {
            return;
        }
        machine.on(AssociationEvent.ATTEMPT_BEGAN);
        highest = Math.max(highest, toExceed) + 1;
        attemptEndsNs = Times.after(nowNs, Times.nanos(settings.attempt()));
        steps.add(new AssociationStep.Offer(address, message(ResumeType.RESUME, highest)));
    }

    private ResumeMessage message(ResumeType type, long of) {
        return new ResumeMessage(
                type, side, of, new ResumePoint(requests.completed(), executions.executed(), executions.results()));
    }

    /** The current attempt cannot reach the peer. Ignored for earlier ones. */
    public void attemptFailed(long attempted, long nowNs) {
        if (state() == AssociationState.RESUMING && attempted == highest) {
            addresses.failed(addresses.last(), nowNs);
            endAttempt(nowNs);
        }
    }

    private void endAttempt(long nowNs) {
        abandon();
        machine.on(AssociationEvent.ATTEMPT_FAILED);
        attempt(nowNs);
    }

    private void abandon() {
        attemptEndsNs = Times.NEVER;
        steps.add(new AssociationStep.Abandon(highest));
    }

    /** A message has arrived, and its code was right. */
    public void arrived(ResumeMessage message, long nowNs) {
        if (message.side() == side) {
            return; // A message of this side that was sent back.
        }
        switch (message.type()) {
            case RESUME -> onResume(message, nowNs);
            case RESUMED -> onResumed(message);
            case STALE -> onStale(message, nowNs);
            case UNKNOWN -> onUnknown(message, nowNs);
            case PROBE, ALIVE -> {} // They concern an address, and not the association.
        }
    }

    private void onResume(ResumeMessage message, long nowNs) {
        AssociationState before = state();
        if (before == AssociationState.LOST || before == AssociationState.CLOSED) {
            return;
        }
        if (!newer(message.epoch(), before)) {
            refuse(message.epoch(), before);
            return;
        }
        if (before == AssociationState.RESUMING) {
            abandon();
        }
        machine.on(AssociationEvent.RESUME_ARRIVED);
        highest = message.epoch();
        pending.ifPresent(superseded -> answerStale(superseded.epoch()));
        pending = Optional.of(message);
        if (before == AssociationState.CARRIED) {
            fence(nowNs);
        } else if (state() == AssociationState.CARRIED) {
            answer(message);
        }
    }

    /** Of two sides that resume at once with the same epoch, side 0 has precedence. */
    private boolean newer(long arrived, AssociationState state) {
        boolean tried = state == AssociationState.RESUMING || state == AssociationState.PAUSED;
        return arrived > highest || arrived == highest && tried && highest > epoch && side == 1;
    }

    /**
     * Answers with the epoch that the peer must exceed. A RESUME that this side's own of the same epoch beats needs
     * no answer.
     */
    private void refuse(long arrived, AssociationState state) {
        if (arrived < highest || state != AssociationState.RESUMING) {
            answerStale(arrived);
        }
    }

    private void answerStale(long to) {
        steps.add(
                new AssociationStep.Answer(to, new ResumeMessage(ResumeType.STALE, side, highest, ResumePoint.none())));
    }

    private void answer(ResumeMessage resume) {
        if (continueAfter(resume)) {
            carrier = AddressChoice.NONE;
            steps.add(new AssociationStep.Answer(epoch, message(ResumeType.RESUMED, epoch)));
            steps.add(new AssociationStep.Carry(epoch));
        }
    }

    private boolean continueAfter(ResumeMessage message) {
        pending = Optional.empty();
        if (!requests.agreesWith(message.progress()) || !executions.agreesWith(message.progress())) {
            giveUp(LostReason.VIOLATION);
            return false;
        }
        requests.resume(message.progress());
        executions.resume(message.progress());
        epoch = message.epoch();
        attemptEndsNs = Times.NEVER;
        givesUpNs = Times.NEVER;
        addresses.resumed();
        carriedFrom = progress();
        return true;
    }

    /** Whether a request of either side has been executed since the current queue pair has begun. */
    public boolean progressed() {
        return progress() != carriedFrom;
    }

    private long progress() {
        return requests.completed() + executions.executed();
    }

    private void onResumed(ResumeMessage message) {
        if (state() == AssociationState.RESUMING && message.epoch() == highest) {
            machine.on(AssociationEvent.RESUMED_ARRIVED);
            carrier = addresses.last();
            if (continueAfter(message)) {
                steps.add(new AssociationStep.Carry(epoch));
            }
        }
    }

    private void onStale(ResumeMessage message, long nowNs) {
        if (state() == AssociationState.RESUMING && message.epoch() >= highest) {
            // A RESUME of the peer may be under way: its epoch must stay acceptable until the pause is over. Two sides
            // that
            // would answer STALE by another attempt at once could do so without end.
            toExceed = message.epoch();
            attemptFailed(highest, nowNs);
        }
    }

    private void onUnknown(ResumeMessage message, long nowNs) {
        if (state() == AssociationState.RESUMING && message.epoch() == highest) {
            addresses.refused(addresses.last());
            endAttempt(nowNs);
        }
    }

    /** Time has passed. */
    public void onDeadline(long nowNs) {
        if (Times.due(givesUpNs, nowNs)) {
            giveUp(LostReason.TOO_LATE);
        } else if (Times.due(attemptEndsNs, nowNs)) {
            attemptFailed(highest, nowNs);
        } else if (state() == AssociationState.PAUSED) {
            attempt(nowNs);
        }
    }

    /** When {@link #onDeadline} has something to do; {@link Times#NEVER} if it never has. */
    public long nextDeadlineNs() {
        long deadlineNs = Times.earlier(givesUpNs, attemptEndsNs);
        return state() == AssociationState.PAUSED ? Times.earlier(deadlineNs, addresses.nextAtNs()) : deadlineNs;
    }

    private void giveUp(LostReason reason) {
        if (state() == AssociationState.RESUMING) {
            abandon();
        }
        if (machine.on(AssociationEvent.GIVEN_UP)) {
            end();
            steps.add(new AssociationStep.Fail(reason));
        }
    }

    private void end() {
        pending = Optional.empty();
        attemptEndsNs = Times.NEVER;
        givesUpNs = Times.NEVER;
    }

    /** The application closes the association; its owner closes what carries it. */
    public void close() {
        machine.on(AssociationEvent.CLOSE);
        end();
        steps.clear();
    }

    /** The next step of the owner. */
    public Optional<AssociationStep> poll() {
        return Optional.ofNullable(steps.poll());
    }

    /** The current state. */
    public AssociationState state() {
        return machine.state();
    }

    /** The epoch of the queue pair that carries requests, or did so last. */
    public long epoch() {
        return epoch;
    }

    /** The requests of this side. */
    public R requests() {
        return requests;
    }

    /** What this side has executed of the peer. */
    public ExecutionRecord executions() {
        return executions;
    }

    /** Changes whenever the state does; of instants only their distance counts. */
    public long stateDigest(long nowNs) {
        long digest = Digest.mix(Digest.mix(state().ordinal() + 1L, epoch), highest);
        digest = Digest.mix(
                Digest.mix(digest, carrier),
                Digest.mix(
                        Digest.mix(carriedFrom, toExceed),
                        pending.map(ResumeMessage::epoch).orElse(0L)));
        digest = Digest.mix(Digest.mix(digest, Times.leftNs(attemptEndsNs, nowNs)), Times.leftNs(givesUpNs, nowNs));
        digest = Digest.mix(Digest.mix(digest, requests.stateDigest()), executions.stateDigest());
        return Digest.mix(Digest.mix(digest, addresses.stateDigest(nowNs)), steps.size());
    }
}
