package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import java.util.Optional;

/**
 * Decides what a stream may send in a given state. The methods named {@code …Due} and {@code …Ready} change nothing; the
 * {@link Sender} asks them both for the committed state and for the trial state.
 */
final class SendSchedule {

    private final StreamSettings settings;
    private final StreamState stream;
    private final KeepAlive keepAlive;
    private final WorkQueue work;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;
    private final CompletionGate gate;
    private final Optional<SurvivingWork> surviving;
    private final Wqe next = new Wqe();

    private boolean delaying;
    private long delayUntilNs;
    private boolean memoryAwaited;

    SendSchedule(StreamContext context, CompletionGate gate) {
        settings = context.settings();
        stream = context.state();
        keepAlive = context.keepAlive();
        work = context.queuePair().queues().send();
        inbound = context.inbound();
        outstanding = context.outstanding();
        this.gate = gate;
        surviving = context.surviving();
    }

    /** Whether there is something to send now. */
    boolean hasWork(TransmitState committed, long nowNs) {
        if (stream.terminateDue()) {
            return !committed.terminated;
        }
        if (blocked()) {
            return false;
        }
        return rtrDue(committed)
                || stream.farewells().helloDue(committed)
                || acknowledgmentDue(committed, nowNs)
                || stream.nudgeDue(nowNs)
                || probeDue(committed)
                || finCheckDue(committed, nowNs)
                || inbound.has(committed.answer)
                || workReady(committed, nowNs)
                || farewellDue(committed, committed);
    }

    /** Whether nothing but a Terminate message may be sent now. */
    boolean blocked() {
        return stream.ended() || !stream.maySend() || memoryAwaited;
    }

    boolean rtrDue(TransmitState state) {
        // RFC 6581 sections 5 [1] and 9.2 [7]: with a peer-to-peer start the initiator's first FPDU is the RTR frame.
        return settings.initiator() && settings.rtr().isPresent() && !state.rtrSent;
    }

    /** Whether it is time for an acknowledgment, and a message may begin. */
    boolean acknowledgmentDue(TransmitState state, long nowNs) {
        return surviving.isPresent()
                && (surviving.get().counts().due(state.stated, nowNs) || acknowledgmentRides(state))
                && state.atMessageBoundary()
                && !gate.peerEnded();
    }

    /** Whether work follows that does not state the count itself: both take one system call. */
    private boolean acknowledgmentRides(TransmitState state) {
        return state.send < work.posted()
                && surviving.get().counts().unstated(state.stated)
                && !RequestFrames.hints(work.at(state.send, next), false);
    }

    boolean probeDue(TransmitState state) {
        return keepAlive.probeDue()
                && !gate.peerEnded()
                && !keepAlive.probeOutstanding()
                && state.readsOutstanding < settings.outboundReads()
                && state.atMessageBoundary();
    }

    /**
     * Whether to check that the peer has not contradicted what left after its FIN. A peer whose process has died, or that
     * closed both directions, answers with a reset, but only another write notices it. An empty Write is that write.
     */
    boolean finCheckDue(TransmitState state, long nowNs) {
        return Times.due(gate.checkAtNs(), nowNs) && state.atMessageBoundary() && state.send == work.posted();
    }

    /** Whether the next element of the send queue may be executed. */
    boolean workReady(TransmitState state, long nowNs) {
        if (state.send >= toSend(state)) {
            return false;
        }
        work.at(state.send, next);
        if (state.offset > 0 || state.immediateLeft) {
            return true;
        }
        // RFC 5040 section 5.5 [MAY]: a Send may overtake earlier Reads; the fence is how the application prevents it.
        // Work on keys always waits, as it does on InfiniBand: its effect must not precede the end of earlier work.
        // What a further stream may send again needs the keys that it was posted with.
        boolean keys = onKeys(next.opcode());
        if (state.readsOutstanding > 0 && (next.fenced() || keys)
                || keys && surviving.isPresent() && !surviving.get().allExecuted()) {
            return false;
        }
        if (next.awaitsResponse()) {
            // RFC 5040 section 6.1 [4], RFC 6581 section 9.1 [4]: no more Reads outstanding than the peer agreed to.
            boolean remembered = surviving.isEmpty() || surviving.get().mayAsk(state.send);
            return remembered && state.readsOutstanding < readsForWork() || settings.outboundReads() == 0;
        }
        return !delaying || next.opcode() != WorkOpcode.DELAY || Times.due(delayUntilNs, nowNs);
    }

    /** Send index after the last element to be sent. The peer awaits nothing after a confirmation of its farewell. */
    private long toSend(TransmitState state) {
        return state.confirmationLast ? state.send : work.posted();
    }

    private static boolean onKeys(WorkOpcode opcode) {
        return opcode == WorkOpcode.LOCAL_INVALIDATE || opcode == WorkOpcode.BIND || opcode == WorkOpcode.UNBIND;
    }

    /** Reads and atomics that work may have outstanding. If at least two were agreed, one is reserved for the probe. */
    private int readsForWork() {
        int agreed = settings.outboundReads();
        return keepAlive.on() && agreed > 1 ? agreed - 1 : agreed;
    }

    /** Whether all posted work has left and is answered, and all the peer's Reads are answered. */
    boolean drained(TransmitState committed) {
        return committed.send == toSend(committed)
                && outstanding.count() == 0
                && inbound.isEmpty()
                && !rtrDue(committed)
                && acknowledged(committed);
    }

    /** Whether the sides of a surviving connection have stated to each other what they have executed. */
    private boolean acknowledged(TransmitState committed) {
        return surviving.isEmpty()
                || gate.peerEnded()
                || work.retired() == toSend(committed)
                        && !surviving.get().counts().owes(committed.stated);
    }

    /** Whether everything has been sent, so that this direction may end gracefully. */
    boolean mayEnd(TransmitState committed) {
        return drained(committed)
                && !gate.contradictable()
                && !gate.lends()
                && !stream.farewells().farewellDue(committed);
    }

    /** Whether only the farewell is left to be sent. */
    boolean farewellDue(TransmitState state, TransmitState committed) {
        return stream.farewells().farewellDue(state)
                && drained(committed)
                && !gate.contradictable()
                && state.send == committed.send;
    }

    long nextDeadlineNs(TransmitState committed) {
        long deadline = delaying ? delayUntilNs : Times.NEVER;
        boolean toCheck = !stream.ended() && committed.send == work.posted();
        deadline = toCheck ? Times.earlier(deadline, gate.checkAtNs()) : deadline;
        boolean states = surviving.isPresent() && !stream.ended() && !gate.peerEnded();
        return states ? Times.earlier(deadline, surviving.get().counts().dueNs()) : deadline;
    }

    // Waits.

    /** Nothing is sent before {@link #onMemory}: memory that work needs is not available now. */
    void awaitMemory() {
        memoryAwaited = true;
    }

    /** Memory may be available now. */
    void onMemory() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    /** Starts the delay of the work in progress, if it has not started. Returns whether it is over. */
    boolean delay(long delayNs, long nowNs) {
        if (!delaying) {
            delaying = true;
            delayUntilNs = Times.after(nowNs, delayNs);
        }
        if (!Times.due(delayUntilNs, nowNs)) {
            return false;
        }
        delaying = false;
        return true;
    }

    long stateDigest(long digest) {
        return Digest.mix(Digest.mix(digest, Digest.flags(delaying, memoryAwaited)), delaying ? delayUntilNs : 0);
    }
}
