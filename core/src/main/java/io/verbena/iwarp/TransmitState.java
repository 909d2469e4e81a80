package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.iwarp.startup.RtrKind;

/**
 * Send progress. A stream has two of these: the <i>committed</i> state describes what has left, and the <i>trial</i> state runs
 * ahead of it while a transmit list is filled. What was filled and has not left is discarded by copying the committed state to
 * the trial state, so nothing has to be undone.
 */
final class TransmitState {

    /** Stream position, for markers. */
    long position;
    /** Send index of the work in progress. */
    long send;
    /** Bytes of its message that are framed. */
    long offset;
    /** Whether its message is framed and only the Immediate Data after a Write is left. */
    boolean immediateLeft;
    /** Next MSN on queue 0. */
    int sendMsn = 1;
    /** Next MSN on queue 1. */
    int readMsn = 1;
    /** Number of outstanding Reads and atomics. */
    int readsOutstanding;
    /** Index of the peer's Read or atomic that is being answered. */
    long answer;
    /** Bytes of that answer that are framed. */
    long answerOffset;
    /** Next MSN on queue 3. */
    int atomicMsn = 1;
    /** Whether the next message is an answer, if there is one. */
    boolean answersTurn;
    /** The count in the last acknowledgment that is framed, see {@link SurvivingWork}. */
    long stated;
    /** Whether the RTR frame is framed. */
    boolean rtrSent;
    /** Whether a responder's HELLO is framed, see {@link FarewellExchange}. */
    boolean helloSent;
    /** Whether the last frame is a farewell, and whether it is one that confirms that of the peer. */
    boolean farewellLast;

    boolean confirmationLast;
    /** Whether the Terminate message is framed; nothing follows it. */
    boolean terminated;

    void copyFrom(TransmitState other) {
        position = other.position;
        send = other.send;
        offset = other.offset;
        immediateLeft = other.immediateLeft;
        sendMsn = other.sendMsn;
        readMsn = other.readMsn;
        readsOutstanding = other.readsOutstanding;
        answer = other.answer;
        answerOffset = other.answerOffset;
        atomicMsn = other.atomicMsn;
        answersTurn = other.answersTurn;
        stated = other.stated;
        rtrSent = other.rtrSent;
        helloSent = other.helloSent;
        farewellLast = other.farewellLast;
        confirmationLast = other.confirmationLast;
        terminated = other.terminated;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, position);
        d = Digest.mix(d, send);
        d = Digest.mix(d, offset);
        d = Digest.mix(d, answer);
        d = Digest.mix(d, answerOffset);
        d = Digest.mix(d, (long) sendMsn << 32 | readMsn);
        d = Digest.mix(d, (long) atomicMsn << 32 | readsOutstanding);
        return Digest.mix(
                d,
                Digest.flags(
                        immediateLeft, answersTurn, rtrSent, helloSent, farewellLast, confirmationLast, terminated));
    }

    /** Whether no message is in progress. */
    boolean atMessageBoundary() {
        return offset == 0 && !immediateLeft && answerOffset == 0;
    }

    /** A Send or Write of one segment is framed. */
    void advanceWhole(boolean isSend) {
        send++;
        sendMsn += isSend ? 1 : 0;
        answersTurn = true;
    }

    /** A Read or atomic request is framed. */
    void addRead() {
        readMsn++;
        readsOutstanding++;
    }

    /** A part of an answer is framed. */
    void advanceAnswer(int payload, boolean last, boolean atomic) {
        answerOffset += payload;
        if (last) {
            atomicMsn += atomic ? 1 : 0;
            answer++;
            answerOffset = 0;
            answersTurn = false;
        }
    }

    /** The RTR frame is framed. */
    void advanceRtr(RtrKind kind) {
        rtrSent = true;
        sendMsn += kind == RtrKind.SEND ? 1 : 0;
        if (kind == RtrKind.READ) {
            // A Read as RTR frame occupies a place at the peer until it is answered, as any other Read does.
            addRead();
        }
    }
}
