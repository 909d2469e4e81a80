package io.verbena.iwarp;

/**
 * How far sending has come. There are two: the <i>committed</i> one is true of what has left, the <i>trial</i> one runs
 * ahead of it while a transmit list is filled. What was filled and has not left is forgotten by copying committed to
 * trial, so nothing has to be taken back, and a turn ends without a trace of what did not fit.
 */
final class TransmitState {

    /** Stream position, for markers. */
    long position;
    /** Index of the send element under way. */
    long send;
    /** Bytes of it that are framed. */
    long offset;
    /** Whether its message is framed and only the Immediate Data behind a Write is left. */
    boolean immediateLeft;
    /** Next MSN on queue 0. */
    int sendMsn = 1;
    /** Next MSN on queue 1. */
    int readMsn = 1;
    /** Reads and atomics outstanding. */
    int readsOutstanding;
    /** Index of the peer's Read or atomic that is being answered. */
    long answer;
    /** Bytes of that answer that are framed. */
    long answerOffset;
    /** Next MSN on queue 3. */
    int atomicMsn = 1;
    /** Whether it is the answers' turn at the next message boundary. */
    boolean answersTurn;
    /** Whether the RTR frame is framed. */
    boolean rtrSent;
    /** Whether a responder's greeting is framed, see {@link Parting}. */
    boolean helloSent;
    /** Whether the last frame is the farewell. */
    boolean farewellLast;
    /** Whether the Terminate message is framed: nothing follows it. */
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
        rtrSent = other.rtrSent;
        helloSent = other.helloSent;
        farewellLast = other.farewellLast;
        terminated = other.terminated;
    }
}
