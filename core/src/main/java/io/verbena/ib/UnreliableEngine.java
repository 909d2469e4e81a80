package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import java.util.Optional;

/** What the engines of the unreliable services have in common: a send queue without acknowledgements, and how they end. */
abstract class UnreliableEngine implements QueuePairEngine {

    final QueuePairWork owner;
    final PendingEvents events;
    private final UnreliableSender sender;
    private final FailureFlush flush;
    private boolean readyToSend;
    private boolean drainReported = true;
    private CompletionStatus receiveStatus = CompletionStatus.FLUSHED;
    private Optional<Failure> failure = Optional.empty();
    private long dropped;

    UnreliableEngine(QueuePairWork owner, PendingEvents events, UnreliableSender.Packets packets) {
        this.owner = owner;
        this.events = events;
        flush = new FailureFlush(owner.queues(), events);
        sender = new UnreliableSender(owner, packets);
    }

    /** Work is done from now on (RTS). */
    public final void readyToSend() {
        readyToSend = true;
    }

    /** Messages that were dropped: packets before were lost, or there was no receive that fits. */
    public final long dropped() {
        return dropped;
    }

    /** Counts a message that is not delivered. */
    final void drop() {
        dropped++;
    }

    /** A fault of this side that a sender cannot cure ends the queue pair; anything else loses the message. */
    final void onFault(ResponderFault fault) {
        switch (fault) {
            case RECEIVE_PROTECTION, OPERATION, CQ_OVERFLOW -> {
                receiveStatus = fault.receiveStatus();
                fail(fault.failure());
            }
            default -> drop();
        }
    }

    private void fail(Failure first) {
        if (failure.isEmpty()) {
            failure = Optional.of(first);
            first.event().ifPresent(events::raise);
            onFailure();
        }
    }

    /** The queue pair has failed: what is kept for a message under way is given up. */
    void onFailure() {}

    @Override
    public final boolean hasTransmitWork(long nowNs) {
        return readyToSend && failure.isEmpty() && sender.hasWork(nowNs);
    }

    @Override
    public final void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        int stop = out.bytes() + byteBudget;
        while (out.bytes() < stop && hasTransmitWork(nowNs) && sender.step(out, nowNs)) {
            // Each step says itself whether it makes sense to go on.
        }
        sender.finish();
        reportDrained();
    }

    @Override
    public final long nextDeadlineNs() {
        return failure.isPresent() ? Times.NEVER : sender.nextDeadlineNs();
    }

    @Override
    public final void onDeadline(long nowNs) {
        sender.finish();
    }

    @Override
    public final boolean suspended() {
        return sender.memoryAwaited();
    }

    @Override
    public final void resume() {
        sender.resume();
    }

    /** Whether the send queue is in error (SQE). */
    public final boolean sendQueueFailed() {
        return sender.failed();
    }

    /** The send queue works again (SQE to RTS); false while work is left that must complete in error first. */
    public final boolean recoverSendQueue() {
        return sender.recover();
    }

    /** No work is begun from now on (SQD); the event SEND_QUEUE_DRAINED tells when what was begun is complete. */
    public final void drain(boolean on) {
        sender.drain(on);
        drainReported = !on;
        reportDrained();
    }

    private void reportDrained() {
        if (!drainReported && sender.idle()) {
            drainReported = true;
            events.raise(AsyncEventType.SEND_QUEUE_DRAINED);
        }
    }

    /** Ends at once with a reason of the application. */
    public final void abort(String sentence) {
        fail(Failure.ofRequest(CompletionStatus.FLUSHED, sentence));
    }

    @Override
    public final Optional<AsyncEventType> pollEvent() {
        return events.poll();
    }

    @Override
    public final Optional<Failure> failure() {
        return failure;
    }

    @Override
    public final boolean flush() {
        sender.finish();
        return flush.flush(receiveStatus, CompletionStatus.FLUSHED);
    }

    @Override
    public long stateDigest() {
        return sender.stateDigest(Digest.mix(dropped, failure.isPresent() ? 1 : 0));
    }
}
