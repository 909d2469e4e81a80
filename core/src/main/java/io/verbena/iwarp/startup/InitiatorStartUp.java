package io.verbena.iwarp.startup;

import io.verbena.base.StateMachine;
import io.verbena.iwarp.startup.InitiatorTable.Event;
import io.verbena.iwarp.startup.InitiatorTable.State;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The side that sends the MPA Request Frame and waits for the Reply. {@link InitiatorTable} has its transitions.
 *
 * <p>Use: call {@link #start}, send the bytes from {@link #fillTransmit}, and pass received bytes to {@link #onBytes} until the
 * outcome is not {@code Pending}. Bytes after the Reply are not taken: they are FPDUs after {@code Established}, and streaming
 * data after {@code Rejected}.
 *
 * <p>Source: RFC 5044 section 7.1.2, RFC 6581 sections 9 and 10.
 */
public final class InitiatorStartUp extends StartUp {
    private final StartUpOptions options;
    private final StateMachine<State, Event> machine = new StateMachine<>(InitiatorTable.TABLE, State.IDLE);

    /** An initiator that has not started. */
    public InitiatorStartUp(StartUpOptions options) {
        super(MpaStartFrame.Kind.REPLY);
        this.options = options;
    }

    /** Starts: queues the Request for sending, and starts the time-out. */
    public void start(long nowNs) {
        start(new byte[0], nowNs);
    }

    /**
     * Starts with a last message of streaming mode before the Request.
     *
     * @param lastStreamingMessage the message, of any length
     */
    public void start(byte[] lastStreamingMessage, long nowNs) {
        if (machine.on(Event.START)) {
            output.append(lastStreamingMessage);
            // RFC 5044 section 7.1.2 [1]: an initiator sends a valid Request Frame.
            output.append(Negotiation.request(options).encode());
            // RFC 5044 section 7.1.2, rule 10: the whole exchange has a time-out.
            waitUntil(nowNs, options.timeoutNs());
        }
    }

    /** The current state. */
    public State state() {
        return machine.state();
    }

    @Override
    public int onBytes(MemorySegment from, long offset, int length, long nowNs) {
        Objects.checkFromIndexSize(offset, (long) length, from.byteSize());
        if (machine.state() != State.SENDING_REQUEST && machine.state() != State.AWAITING_REPLY) {
            return 0;
        }
        int taken = intake.take(from, offset, length);
        if (intake.fault().isPresent()) {
            // RFC 5044 section 7.1.2 [6, 9]: a wrong key or a malformed Reply closes the TCP connection.
            fail(Event.BAD_FRAME, StartUpFailure.silent(intake.fault().get(), ""));
        } else if (intake.complete()) {
            onFrame(intake.frame());
        }
        return taken;
    }

    @Override
    public void onEndOfStream() {
        // RFC 6581 section 10 [7]: an unenhanced responder closes on an enhanced request.
        String hint = options.enhanced() ? "the peer may know only the unenhanced start-up" : "";
        fail(Event.STREAM_ENDED, StartUpFailure.silent(StartUpFault.PEER_CLOSED, hint));
    }

    @Override
    public void onDeadline(long nowNs) {
        if (due(nowNs)) {
            fail(
                    Event.DEADLINE_PASSED,
                    StartUpFailure.silent(StartUpFault.TIMED_OUT, "no complete Reply was received"));
        }
    }

    @Override
    public void onLocalError(String why) {
        fail(Event.LOCAL_ERROR, localFailure(why));
    }

    @Override
    void onDrained() {
        machine.on(Event.REQUEST_SENT);
    }

    @Override
    int stateOrdinal() {
        return machine.state().ordinal();
    }

    private void onFrame(StartUpFrame reply) {
        if (machine.state() == State.SENDING_REQUEST) {
            fail(Event.BAD_FRAME, StartUpFailure.silent(StartUpFault.REPLY_BEFORE_REQUEST, ""));
            return;
        }
        if (reply.flags().rejected()) {
            // RFC 5044 section 7.1.2 [7]: R ends MPA and leaves TCP open; a rejection is accepted in either format.
            machine.on(Event.REPLY_REJECTS);
            finish(new StartUpOutcome.Rejected(reply.privateData(), reply.depths()));
            return;
        }
        switch (Negotiation.asInitiator(options, reply)) {
            case Negotiation.Verdict.Agreed(Negotiated negotiated) -> {
                machine.on(Event.REPLY_ACCEPTS);
                finish(new StartUpOutcome.Established(negotiated));
            }
            case Negotiation.Verdict.Malformed(StartUpFault fault) ->
                fail(Event.BAD_FRAME, StartUpFailure.silent(fault, ""));
            case Negotiation.Verdict.Unsuitable(StartUpFailure failure) -> fail(Event.REPLY_UNSUITABLE, failure);
        }
    }

    private void fail(Event event, StartUpFailure failure) {
        if (machine.on(event)) {
            finishFailed(failure);
        }
    }
}
