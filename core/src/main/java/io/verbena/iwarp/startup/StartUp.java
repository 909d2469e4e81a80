package io.verbena.iwarp.startup;

import io.verbena.base.Times;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The MPA start-up of one side: what both roles have in common. Bytes and events are passed to the methods {@code on…}; bytes to
 * send, the next deadline and the outcome are polled. One thread at a time.
 */
public abstract sealed class StartUp permits InitiatorStartUp, ResponderStartUp {
    /** Value of {@link #nextDeadlineNs} when there is no deadline. */
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
     * Writes bytes to send to {@code into} at {@code offset}.
     *
     * @return the number of bytes written, 0 to {@code capacity}
     */
    public final int fillTransmit(MemorySegment into, long offset, int capacity) {
        Objects.checkFromIndexSize(offset, (long) capacity, into.byteSize());
        int filled = output.fill(into, offset, capacity);
        if (filled > 0 && output.pending() == 0) {
            onDrained();
        }
        return filled;
    }

    /** Number of bytes that are queued for sending. */
    public final int transmitPendingBytes() {
        return output.pending();
    }

    /**
     * Bytes of the stream arrived.
     *
     * @return the number of bytes that belong to the start-up frame, 0 when no frame is expected; the caller keeps the others
     */
    public abstract int onBytes(MemorySegment from, long offset, int length, long nowNs);

    /** The peer ended its direction (FIN), or the connection is lost (RST, time-out of TCP). */
    public abstract void onEndOfStream();

    /** The time is {@code nowNs}. Has no effect before {@link #nextDeadlineNs}. */
    public abstract void onDeadline(long nowNs);

    /**
     * The owner cannot continue, for example because its queue pair was closed. After the Reply this causes a Terminate 2/0/5.
     *
     * @param why the reason, for people
     */
    public abstract void onLocalError(String why);

    /** When to call {@link #onDeadline}, or {@link #NO_DEADLINE}; compare by difference. */
    public final long nextDeadlineNs() {
        return deadlineNs;
    }

    /** The current outcome. */
    public final StartUpOutcome outcome() {
        return outcome;
    }

    /** Returns each outcome once; otherwise {@code Pending}. */
    public final StartUpOutcome pollOutcome() {
        boolean fresh = news;
        news = false;
        return fresh ? outcome : StartUpOutcome.Pending.PENDING;
    }

    /** A hash of all state that affects the further behaviour. */
    public final long stateDigest() {
        long h = StartUpDigest.mix(StartUpDigest.mix(StartUpDigest.START, stateOrdinal()), deadlineNs);
        h = output.digest(intake.digest(h));
        return outcome instanceof StartUpOutcome.Failed(StartUpFailure failure)
                ? StartUpDigest.mix(h, failure.fault().ordinal() + 1)
                : h;
    }

    /** The last byte to send was taken. */
    abstract void onDrained();

    abstract int stateOrdinal();

    /** Reports an outcome. */
    final void report(StartUpOutcome value) {
        outcome = value;
        news = true;
    }

    /** Reports the final outcome; there is no deadline any more. */
    final void finish(StartUpOutcome value) {
        deadlineNs = NO_DEADLINE;
        report(value);
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

    /** A local error: with a Terminate message if RDMA mode has begun, otherwise without one. */
    final StartUpFailure localFailure(String why) {
        return outcome instanceof StartUpOutcome.Established(Negotiated agreed)
                ? StartUpFailure.afterReply(StartUpFault.LOCAL_CATASTROPHIC, why, agreed.framing())
                : StartUpFailure.silent(StartUpFault.LOCAL_CATASTROPHIC, why);
    }
}
