package io.verbena.ib.unreliable;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.request.LocalWork;
import io.verbena.ib.request.RequestPackets.Built;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;

/**
 * The send queue of a service without acknowledgements: work completes when its last packet was sent. Work that cannot
 * be sent puts the send queue in error (SQE): this work and all later work completes in error, while receiving
 * continues, until {@link #recover}. Source: InfiniBand architecture specification, volume 1, section 10.3.1 (queue
 * pair states).
 */
final class UnreliableSender {

    /** Builds the packets of one service. */
    interface Packets {

        /** The status of work that cannot be sent; SUCCESS if it can be sent. */
        CompletionStatus refusal(Wqe wqe);

        /** Builds a packet of the work. */
        Built build(PacketBuilder out, Wqe wqe, int packet);

        /** Whether this packet is the last one. */
        boolean last(Wqe wqe, int packet);
    }

    private final QueuePairWork owner;
    private final WorkQueue work;
    private final LocalWork local;
    private final Packets packets;
    private final Wqe wqe = new Wqe();

    /**
     * Index of the element that is being sent, and its next packet. Elements before it wait at most for a place in the
     * CQ.
     */
    private long cursor;

    private int packet;
    private boolean draining;
    private boolean memoryAwaited;
    private CompletionStatus failed = CompletionStatus.SUCCESS;
    private boolean failureReported;

    UnreliableSender(QueuePairWork owner, Packets packets) {
        this.owner = owner;
        this.packets = packets;
        work = owner.queues().send();
        local = new LocalWork(owner);
        cursor = work.retired();
    }

    /** Whether {@link #step} has work to do. */
    boolean hasWork(long nowNs) {
        if (memoryAwaited || failed() || cursor >= work.posted()) {
            return false;
        }
        return packet > 0 || !draining && !local.delays(nowNs);
    }

    /** Whether the send queue is in error and has work to be flushed. */
    boolean flushes() {
        return failed() && work.retired() < work.posted();
    }

    /** Builds the next packet, or executes work that sends none. Returns false when no more work can be done now. */
    boolean step(PacketBuilder out, long nowNs) {
        work.at(cursor, wqe);
        boolean went = Opcodes.local(wqe.opcode()) ? doLocally(nowNs) : build(out);
        finish();
        return went;
    }

    private boolean doLocally(long nowNs) {
        switch (local.attempt(wqe, nowNs)) {
            case DONE -> {
                cursor++;
                return true;
            }
            case NOT_NOW -> memoryAwaited = true;
            case FAILED -> failed = local.status();
            case WAITS -> {}
        }
        return false;
    }

    private boolean build(PacketBuilder out) {
        CompletionStatus refusal = packets.refusal(wqe);
        if (refusal != CompletionStatus.SUCCESS) {
            failed = refusal;
            return false;
        }
        switch (packets.build(out, wqe, packet)) {
            case DONE -> {
                boolean last = packets.last(wqe, packet);
                packet = last ? 0 : packet + 1;
                cursor += last ? 1 : 0;
                return true;
            }
            case NOT_NOW -> memoryAwaited = true;
            case LOST -> failed = CompletionStatus.LOCAL_MEMORY;
            case REFUSED -> failed = CompletionStatus.LOCAL_PROTECTION;
            case FULL -> {}
        }
        return false;
    }

    /** Completes work that was sent, and work in error. Completions may wait for a place in the CQ. */
    void finish() {
        while (work.retired() < cursor) {
            if (!owner.queues().completeSend(CompletionStatus.SUCCESS)) {
                return;
            }
        }
        while (failed() && work.retired() < work.posted()) {
            if (!owner.queues().completeSend(failureReported ? CompletionStatus.FLUSHED : failed)) {
                return;
            }
            failureReported = true;
            packet = 0;
            cursor = work.retired();
        }
    }

    /** Whether the send queue is in error (SQE). */
    boolean failed() {
        return failed != CompletionStatus.SUCCESS;
    }

    /** Recovers the send queue (SQE to RTS). Returns false while work remains that must complete in error. */
    boolean recover() {
        finish();
        if (work.retired() < work.posted()) {
            return false;
        }
        failed = CompletionStatus.SUCCESS;
        failureReported = false;
        return true;
    }

    /** Sets whether no further work is started (SQD). */
    void drain(boolean on) {
        draining = on;
    }

    /** Whether all work that was started is complete. */
    boolean idle() {
        return packet == 0 && work.retired() == cursor;
    }

    void resume() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    /** The end of the delay in progress, or {@link Times#NEVER}. */
    long nextDeadlineNs() {
        // A delay that ends while the send queue is drained completes when the queue continues.
        return failed() || draining ? Times.NEVER : local.nextDeadlineNs();
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, cursor);
        d = local.stateDigest(Digest.mix(d, (long) packet << 8 | failed.ordinal()));
        return Digest.mix(d, Digest.flags(draining, memoryAwaited, failureReported));
    }
}
