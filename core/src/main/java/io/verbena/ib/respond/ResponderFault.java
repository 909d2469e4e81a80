package io.verbena.ib.respond;

import io.verbena.ib.endpoint.Failure;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.Syndrome;

/**
 * The faults of a request and their consequences: the answer to the peer, the asynchronous event and the description.
 * This is the only table of faults. Source: InfiniBand architecture specification, volume 1, section 9.9.3 (table of
 * responder errors).
 */
public enum ResponderFault {
    /** No fault. */
    NONE(0, AsyncEventType.QP_FATAL, ""),
    /** No receive is posted. The peer retries after the RNR timer. */
    NO_RECEIVE(0, AsyncEventType.QP_FATAL, ""),
    /** A page is being fetched. The peer retries after the RNR timer. */
    NOT_READY(0, AsyncEventType.QP_FATAL, ""),
    /** The order of opcodes is invalid. */
    OPCODE_ORDER(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer sent packets in an order that is not a message."),
    /** The payload of a packet, or a message, has an invalid length. */
    LENGTH(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer sent a message whose length differs from its header, or a packet of an invalid length."),
    /** A packet names another place than that of its message. */
    PLACE(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer sent a packet of a Write with another place than the Write has."),
    /** The message is longer than the receive. */
    TOO_LONG(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer sent a message that is longer than the posted receive. Post larger receives."),
    /** The queue pair does not permit the operation. */
    NOT_ALLOWED(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer requested an operation that this queue pair does not permit."),
    /** The peer exceeds the negotiated number of Reads and atomics. */
    TOO_MANY_READS(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.READ_QUEUE_OVERFLOW,
            "The peer had more Reads and atomics outstanding than were negotiated."),
    /** The address of an atomic is not a multiple of 8. */
    MISALIGNED(
            Syndrome.NAK_INVALID_REQUEST,
            AsyncEventType.QP_REQUEST_ERROR,
            "The peer requested an atomic operation on an address that is not a multiple of 8."),
    /** The key, the address range or the access right is not valid. */
    ACCESS(
            Syndrome.NAK_REMOTE_ACCESS,
            AsyncEventType.QP_ACCESS_ERROR,
            "The peer requested access to memory with an invalid key, address range or access right."),
    /** Local memory was lost. */
    OPERATION(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "Local memory was lost while the peer accessed it: its arena was closed or its file truncated."),
    /** The buffers of the receive are not registered or do not permit local writing. */
    RECEIVE_PROTECTION(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "The buffers of a receive are not registered, or do not permit local writing."),
    /** The completion queue is full. */
    CQ_OVERFLOW(
            Syndrome.NAK_REMOTE_OPERATION,
            AsyncEventType.QP_FATAL,
            "The completion queue is full: the completion of a receive does not fit. Create a larger "
                    + "one, or poll more often."),
    /** The key to invalidate is not valid: no NAK, the queue pair is in error (class J). */
    INVALIDATE(0, AsyncEventType.QP_REQUEST_ERROR, "The peer requested to invalidate a key that is not valid.");

    private final int syndrome;
    private final AsyncEventType event;
    private final String sentence;

    ResponderFault(int syndrome, AsyncEventType event, String sentence) {
        this.syndrome = syndrome;
        this.event = event;
        this.sentence = sentence;
    }

    /** The syndrome of the NAK; 0 for no NAK. */
    public int syndrome() {
        return syndrome;
    }

    /** Whether the peer retries. */
    public boolean temporary() {
        return this == NO_RECEIVE || this == NOT_READY;
    }

    /** Status of the receive in use; FLUSHED if the receive did not cause the fault. */
    public CompletionStatus receiveStatus() {
        return switch (this) {
            case TOO_LONG -> CompletionStatus.LOCAL_LENGTH;
            case RECEIVE_PROTECTION -> CompletionStatus.LOCAL_PROTECTION;
            default -> CompletionStatus.FLUSHED;
        };
    }

    /** The fault that corresponds to the result of an access check. */
    public static ResponderFault of(Verdict verdict) {
        return switch (verdict) {
            case OK -> NONE;
            case NOT_NOW -> NOT_READY;
            case LOST -> OPERATION;
            default -> ACCESS;
        };
    }

    public Failure failure() {
        return Failure.ofPeer(event, sentence);
    }
}
