package io.verbena.ib;

import io.verbena.memory.Verdict;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.Syndrome;

/**
 * What can be wrong with a request, and everything that follows from it: what goes to the peer, what happens here. The one
 * table of faults. Source: InfiniBand architecture specification, volume 1, section 9.9.3 (table of responder errors).
 */
enum ResponderFault {
    /** Nothing is wrong. */
    NONE(0, AsyncEventType.QP_FATAL, ""),
    /** No receive is posted: the peer tries again after the RNR timer. */
    NO_RECEIVE(0, AsyncEventType.QP_FATAL, ""),
    /** A page is on its way: the peer tries again after the RNR timer. */
    NOT_READY(0, AsyncEventType.QP_FATAL, ""),
    /** Opcodes in an order that makes no message. */
    OPCODE_ORDER(
            Syndrome.NAK_INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR, "The peer's packets make no whole message."),
    /** The payload of a packet, or a message, has a length that it must not have. */
    LENGTH(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer's message has another length than it said, or than a packet may have."),
    /** The receive is shorter than the message. */
    TOO_LONG(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer's message is longer than the receive that was posted for it."),
    /** This queue pair does not let the peer do that. */
    NOT_ALLOWED(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer asked for an operation that this queue pair does not allow."),
    /** More Reads and atomics than were agreed. */
    TOO_MANY_READS(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.READ_QUEUE_OVERFLOW,
            "The peer had more Reads and atomics outstanding than were agreed."),
    /** The address of an atomic is no multiple of 8. */
    MISALIGNED(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer's atomic is not on an address that is a multiple of 8."),
    /** Wrong key, bounds or right. */
    ACCESS(
            Syndrome.NAK_REMOTE_ACCESS,
            AsyncEventType.QP_ACCESS_ERROR,
            "The peer tried to reach memory that it may not reach."),
    /** Our own part failed. */
    OPERATION(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "Memory of ours went away while the peer was using it."),
    /** The buffers of the receive are not registered or do not allow this. */
    RECEIVE_PROTECTION(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "The buffers of a receive are not registered, or do not allow local writing."),
    /** The completion queue is full. */
    CQ_OVERFLOW(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "The completion queue has no room for the completion of a receive."),
    /** The key to invalidate is not valid: no NAK, the queue pair is in error (class J). */
    INVALIDATE(0, AsyncEventType.QP_REQUEST_ERROR, "The peer wanted to invalidate a key that is not valid.");

    private final int syndrome;
    private final AsyncEventType event;
    private final String sentence;

    ResponderFault(int syndrome, AsyncEventType event, String sentence) {
        this.syndrome = syndrome;
        this.event = event;
        this.sentence = sentence;
    }

    /** What the peer is told; 0 for nothing. */
    int syndrome() {
        return syndrome;
    }

    /** Whether the peer is asked to try again. */
    boolean temporary() {
        return this == NO_RECEIVE || this == NOT_READY;
    }

    /** How the receive that was in use completes; FLUSHED where the fault is not the receive's. */
    CompletionStatus receiveStatus() {
        return switch (this) {
            case TOO_LONG -> CompletionStatus.LOCAL_LENGTH;
            case RECEIVE_PROTECTION -> CompletionStatus.LOCAL_PROTECTION;
            default -> CompletionStatus.FLUSHED;
        };
    }

    /** What an access check found. */
    static ResponderFault of(Verdict verdict) {
        return switch (verdict) {
            case OK -> NONE;
            case NOT_NOW -> NOT_READY;
            case LOST -> OPERATION;
            default -> ACCESS;
        };
    }

    Failure failure() {
        return Failure.ofPeer(event, sentence);
    }
}
