package io.verbena.ib.unreliable;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.FailureFlush;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.respond.ResponderFault;
import io.verbena.ib.settings.RcSettings;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import java.util.Optional;

/** The common part of the engines of the unreliable services: a send queue without acknowledgements, and failures. */
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

    /** Permits sending (RTS). */
    public final void readyToSend() {
        readyToSend = true;
    }

    @Override
    public final void readyToSend(RcSettings settings) {
        readyToSend();
    }

    /** Number of dropped messages: a packet was lost, or no suitable receive was posted. */
    public final long dropped() {
        return dropped;
    }

    /** Counts a message that is not delivered. */
    final void drop() {
        dropped++;
    }

    /** A local fault that no sender can correct ends the queue pair. Any other fault drops the message. */
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

    /** Releases the resources of a message in progress after a failure. */
    void onFailure() {}

    private boolean sends() {
        return readyToSend && failure.isEmpty();
    }

    @Override
    public final boolean hasTransmitWork(long nowNs) {
        return sends() && (sender.hasWork(nowNs) || sender.flushes());
    }

    @Override
    public final void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        int stop = out.bytes() + byteBudget;
        while (out.bytes() < stop && sends() && sender.hasWork(nowNs) && sender.step(out, nowNs)) {
            // step() returns whether to continue.
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

    @Override
    public final boolean sendQueueFailed() {
        return sender.failed();
    }

    @Override
    public final boolean recoverSendQueue() {
        return sender.recover();
    }

    @Override
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

    @Override
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
        long d = Digest.mix(dropped, Digest.flags(failure.isPresent(), readyToSend, drainReported));
        return sender.stateDigest(flush.stateDigest(Digest.mix(d, receiveStatus.ordinal())));
    }
}
