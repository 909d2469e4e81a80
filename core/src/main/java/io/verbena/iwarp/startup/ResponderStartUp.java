package io.verbena.iwarp.startup;

import io.verbena.base.StateMachine;
import io.verbena.iwarp.startup.ResponderTable.Event;
import io.verbena.iwarp.startup.ResponderTable.State;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;

/**
 * The side that waits for the MPA Request Frame and answers it. {@link ResponderTable} has its transitions.
 *
 * <p>Use: call {@link #start}, pass received bytes to {@link #onBytes} until the outcome is {@code RequestArrived}, call {@link
 * #accept} or {@link #reject}, and send the bytes from {@link #fillTransmit}. The outcome is {@code Established} or {@code
 * Rejected} when the last byte of the Reply was taken for sending. Before that the initiator must not send.
 *
 * <p>Source: RFC 5044 section 7.1.2, RFC 6581 sections 9 and 10.
 */
public final class ResponderStartUp extends StartUp {
    private final ResponderOptions options;
    private final StateMachine<State, Event> machine = new StateMachine<>(ResponderTable.TABLE, State.IDLE);
    private Optional<PeerRequest> request = Optional.empty();
    private StartUpOutcome afterReply = StartUpOutcome.Pending.PENDING;

    /** A responder that has not started. */
    public ResponderStartUp(ResponderOptions options) {
        super(MpaStartFrame.Kind.REQUEST);
        this.options = options;
    }

    /** Starts to wait for a Request. */
    public void start(long nowNs) {
        start(new byte[0], nowNs);
    }

    /**
     * Starts to wait for a Request and then sends the last message of streaming mode, so that a fast peer's Request does not
     * arrive too early.
     *
     * @param lastStreamingMessage the message, of any length
     */
    public void start(byte[] lastStreamingMessage, long nowNs) {
        if (machine.on(Event.START)) {
            // RFC 5044 section 7.1.5, point 2: enabling the responder may carry the last streaming message.
            output.append(lastStreamingMessage);
            // RFC 5044 section 7.1.2, rule 8: this time-out detects two responders.
            waitUntil(nowNs, options.requestTimeoutNs());
        }
    }

    /** The current state. */
    public State state() {
        return machine.state();
    }

    @Override
    public int onBytes(MemorySegment from, long offset, int length, long nowNs) {
        Objects.checkFromIndexSize(offset, (long) length, from.byteSize());
        int taken = machine.state() == State.AWAITING_REQUEST ? takeRequest(from, offset, length, nowNs) : 0;
        if (taken < length && awaitingReply()) {
            // RFC 5044 section 7.1.2, note to rule 2: no FPDU is sent before Request and Reply have been exchanged.
            fail(Event.BYTES_TOO_EARLY, StartUpFailure.silent(StartUpFault.BYTES_BEFORE_REPLY, ""));
        }
        return taken;
    }

    /**
     * Accepts the request.
     *
     * @return false if the request is no longer valid: the peer closed the connection, or the decision was too late
     * @throws IllegalStateException if there is no request yet, or it has been accepted
     * @throws IllegalArgumentException if the private data does not fit ({@link PeerRequest#maxReplyPrivateDataLength})
     */
    public boolean accept(StartUpOptions ours, long nowNs) {
        Optional<Negotiation.Acceptance> acceptance = request.map(it -> Negotiation.asResponder(ours, it));
        if (!machine.on(Event.ACCEPT)) {
            return false;
        }
        acceptance.ifPresent(
                it -> answer(it.reply(), new StartUpOutcome.Established(it.negotiated()), nowNs, ours.timeoutNs()));
        return true;
    }

    /** Rejects the request, with data for the peer's application. Returns and throws as {@link #accept} does. */
    public boolean reject(PrivateData privateData, long nowNs) {
        return reject(ReadDepths.ZERO, privateData, nowNs);
    }

    /**
     * Rejects the request and names the read depths that it would require (RFC 6581 section 9.1 [MAY]); an unenhanced Reply
     * cannot carry them. Returns and throws as {@link #accept} does.
     */
    public boolean reject(ReadDepths needed, PrivateData privateData, long nowNs) {
        Optional<StartUpFrame> reply = request.map(it -> Negotiation.rejection(it, needed, privateData));
        return reject(Event.REJECT, reply, nowNs);
    }

    @Override
    public void onEndOfStream() {
        fail(Event.STREAM_ENDED, StartUpFailure.silent(StartUpFault.PEER_CLOSED, ""));
    }

    @Override
    public void onDeadline(long nowNs) {
        if (!due(nowNs)) {
            return;
        }
        if (machine.state() == State.DECIDING) {
            // RFC 5044 section 7.1.2 [4]: a request that is not accepted is answered with R, and TCP stays open.
            reject(
                    Event.DEADLINE_PASSED,
                    request.map(it -> Negotiation.rejection(it, ReadDepths.ZERO, PrivateData.EMPTY)),
                    nowNs);
        } else {
            String detail = machine.state() == State.AWAITING_REQUEST
                    ? "no complete Request was received; perhaps both sides are responders"
                    : "the Reply could not be sent";
            fail(Event.DEADLINE_PASSED, StartUpFailure.silent(StartUpFault.TIMED_OUT, detail));
        }
    }

    @Override
    public void onLocalError(String why) {
        fail(Event.LOCAL_ERROR, localFailure(why));
    }

    @Override
    void onDrained() {
        if (sendingReply()) {
            machine.on(Event.REPLY_SENT);
            finish(afterReply);
        }
    }

    @Override
    int stateOrdinal() {
        return machine.state().ordinal();
    }

    private int takeRequest(MemorySegment from, long offset, int length, long nowNs) {
        int taken = intake.take(from, offset, length);
        if (intake.fault().isPresent()) {
            // RFC 5044 section 7.1.2 [3, 9]: a wrong key or a malformed Request closes TCP, without a Reply.
            fail(Event.BAD_FRAME, StartUpFailure.silent(intake.fault().get(), ""));
        } else if (intake.complete()) {
            onFrame(PeerRequest.of(intake.frame()), nowNs);
        }
        return taken;
    }

    private void onFrame(PeerRequest arrived, long nowNs) {
        if (arrived.flags().enhanced() && !options.understandsEnhanced()) {
            // RFC 6581 section 10 [7]: for a side without the enhanced format it is a malformed frame.
            fail(Event.BAD_FRAME, StartUpFailure.silent(StartUpFault.ENHANCED_NOT_UNDERSTOOD, ""));
            return;
        }
        machine.on(Event.REQUEST_ARRIVED);
        request = Optional.of(arrived);
        waitUntil(nowNs, options.decisionTimeoutNs());
        report(new StartUpOutcome.RequestArrived(arrived));
    }

    private boolean reject(Event event, Optional<StartUpFrame> reply, long nowNs) {
        if (!machine.on(event)) {
            return false;
        }
        reply.ifPresent(it -> answer(
                it, new StartUpOutcome.Rejected(it.privateData(), it.depths()), nowNs, options.rejectTimeoutNs()));
        return true;
    }

    private void answer(StartUpFrame reply, StartUpOutcome then, long nowNs, long timeoutNs) {
        output.append(reply.encode());
        afterReply = then;
        waitUntil(nowNs, timeoutNs);
    }

    private boolean sendingReply() {
        return machine.state() == State.ACCEPTING || machine.state() == State.REJECTING;
    }

    private boolean awaitingReply() {
        return machine.state() == State.DECIDING || sendingReply();
    }

    private void fail(Event event, StartUpFailure failure) {
        if (machine.on(event)) {
            finishFailed(failure);
        }
    }
}
