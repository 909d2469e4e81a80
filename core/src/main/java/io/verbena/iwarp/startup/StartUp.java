package io.verbena.iwarp.startup;

import io.verbena.base.Times;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * One side's MPA start-up: what both roles have in common. Bytes and events come in by {@code on…}; bytes to send,
 * the next deadline and the outcome are polled. One thread at a time.
 */
public abstract sealed class StartUp permits InitiatorStartUp, ResponderStartUp {
    /** What {@link #nextDeadlineNs} says when nothing is waited for. */
    public static final long NO_DEADLINE = Times.NEVER;

    final FrameIntake intake;
    final FrameOutput output = new FrameOutput();
    private long deadlineNs = NO_DEADLINE;
    private StartUpOutcome outcome = StartUpOutcome.Pending.PENDING;
    private boolean news;

    StartUp(MpaStartFrame.Kind expected) {
        this.intake = new FrameIntake(expected);
    }

    /**
     * Hands out bytes to send.
     *
     * @return how many were written to {@code into} at {@code offset}, 0 to {@code capacity}
     */
    public final int fillTransmit(MemorySegment into, long offset, int capacity) {
        Objects.checkFromIndexSize(offset, (long) capacity, into.byteSize());
        int filled = output.fill(into, offset, capacity);
        if (filled > 0 && output.pending() == 0) {
            onDrained();
        }
        return filled;
    }

    /** Bytes that wait to be sent. */
    public final int transmitPendingBytes() {
        return output.pending();
    }

    /**
     * Bytes of the stream arrived, at least those at {@code offset}.
     *
     * @return how many belong to the start-up frame; the others stay with the caller. 0 when no frame is expected
     */
    public abstract int onBytes(MemorySegment from, long offset, int length, long nowNs);

    /** The peer closed its half of the stream (FIN), or the connection is lost (RST, time-out of TCP). */
    public abstract void onEndOfStream();

    /** The time is {@code nowNs}; nothing happens before {@link #nextDeadlineNs}. */
    public abstract void onDeadline(long nowNs);

    /**
     * The owner cannot go on: no memory, a queue pair gone. After the Reply this gives a Terminate 2/0/5.
     *
     * @param why for a person
     */
    public abstract void onLocalError(String why);

    /** When {@link #onDeadline} wants to be called, or {@link #NO_DEADLINE}; compare by difference. */
    public final long nextDeadlineNs() {
        return deadlineNs;
    }

    /** How things stand. */
    public final StartUpOutcome outcome() {
        return outcome;
    }

    /** Each outcome once, when it is new; otherwise {@code Pending}. */
    public final StartUpOutcome pollOutcome() {
        boolean fresh = news;
        news = false;
        return fresh ? outcome : StartUpOutcome.Pending.PENDING;
    }

    /** A hash of everything that decides how this side goes on. */
    public final long stateDigest() {
        long h = StartUpDigest.mix(StartUpDigest.mix(StartUpDigest.START, stateOrdinal()), deadlineNs);
        h = output.digest(intake.digest(h));
        return outcome instanceof StartUpOutcome.Failed(StartUpFailure failure)
                ? StartUpDigest.mix(h, failure.fault().ordinal() + 1)
                : h;
    }

    /** The last byte to send was handed out. */
    abstract void onDrained();

    abstract int stateOrdinal();

    /** Tells an outcome. */
    final void tell(StartUpOutcome value) {
        outcome = value;
        news = true;
    }

    /** The last outcome: nothing more is waited for. */
    final void finish(StartUpOutcome value) {
        deadlineNs = NO_DEADLINE;
        tell(value);
    }

    final void finishFailed(StartUpFailure failure) {
        output.drop();
        finish(new StartUpOutcome.Failed(failure));
    }

    final void waitUntil(long nowNs, long timeoutNs) {
        long until = nowNs + timeoutNs;
        deadlineNs = until == NO_DEADLINE ? until - 1 : until;
    }

    final boolean due(long nowNs) {
        return Times.due(deadlineNs, nowNs);
    }

    /** A local error: with a Terminate if full operation has begun, otherwise without a word. */
    final StartUpFailure localFailure(String why) {
        return outcome instanceof StartUpOutcome.Established(Negotiated framing)
                ? StartUpFailure.afterReply(StartUpFault.LOCAL_CATASTROPHE, why, framing)
                : StartUpFailure.silent(StartUpFault.LOCAL_CATASTROPHE, why);
    }
}
