package io.verbena.ib.rd;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.FailureFlush;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.settings.RcSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * The life of one reliable datagram queue pair. It builds no packets: it notifies the context that the oldest work
 * names, and this context sends the message. Packets of peers pass through contexts as well.
 */
public final class RdEngine implements QueuePairEngine {

    /** The contexts of a domain by number. */
    public interface Contexts {

        /** Has a context served. Returns false if the domain has no context with this number. */
        boolean wake(int number);
    }

    private final RdQueuePair queuePair;
    private final Contexts contexts;
    private final PendingEvents events = new PendingEvents();
    private final FailureFlush flush;
    private boolean drainReported = true;
    private boolean failureRaised;

    /** A queue pair that can receive (RTR). The caller calls {@link #readyToSend} later. */
    public RdEngine(RdQueuePair queuePair, RdDomain domain, Contexts contexts) {
        this.queuePair = queuePair;
        this.contexts = contexts;
        flush = new FailureFlush(queuePair.owner().queues(), events);
        queuePair.stop(true);
        domain.add(queuePair);
    }

    @Override
    public Service service() {
        return Service.RD;
    }

    /** Has no effect: contexts deliver the packets of peers. */
    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {}

    @Override
    public boolean hasTransmitWork(long nowNs) {
        return queuePair.unannounced() || queuePair.flushes();
    }

    /** Notifies the context of the oldest work, or flushes work of a failed send queue; builds no packet. */
    @Override
    public void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        while (queuePair.unannounced()) {
            if (!contexts.wake(queuePair.announce())) {
                queuePair.refuse();
            }
        }
        queuePair.finish();
    }

    @Override
    public long nextDeadlineNs() {
        return Times.NEVER;
    }

    @Override
    public void onDeadline(long nowNs) {}

    @Override
    public boolean suspended() {
        return false;
    }

    @Override
    public void resume() {}

    @Override
    public void readyToSend(RcSettings settings) {
        queuePair.stop(false);
    }

    @Override
    public void drain(boolean on) {
        queuePair.stop(on);
        drainReported = !on;
    }

    @Override
    public boolean sendQueueFailed() {
        return queuePair.sendQueueFailed();
    }

    @Override
    public boolean recoverSendQueue() {
        return queuePair.recoverSendQueue();
    }

    @Override
    public void peerRights(Set<AccessRight> rights) {
        queuePair.peerRights(rights);
    }

    @Override
    public void detach() {
        queuePair.leave();
    }

    @Override
    public void abort(String sentence) {
        queuePair.fail(Failure.ofRequest(CompletionStatus.FLUSHED, sentence), CompletionStatus.FLUSHED);
    }

    @Override
    public Optional<AsyncEventType> pollEvent() {
        if (!drainReported && queuePair.idle()) {
            drainReported = true;
            events.raise(AsyncEventType.SEND_QUEUE_DRAINED);
        }
        Optional<Failure> failure = queuePair.failure();
        if (failure.isPresent() && !failureRaised) {
            failureRaised = true;
            failure.get().event().ifPresent(events::raise);
        }
        return events.poll();
    }

    @Override
    public Optional<Failure> failure() {
        return queuePair.failure();
    }

    @Override
    public boolean flush() {
        queuePair.finish();
        return !queuePair.owesCompletion() && flush.flush(queuePair.receiveStatus(), CompletionStatus.FLUSHED);
    }

    @Override
    public long stateDigest() {
        return Digest.mix(
                queuePair.number(),
                (queuePair.idle() ? 1 : 0) | (queuePair.failure().isPresent() ? 2 : 0));
    }
}
