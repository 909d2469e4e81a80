package io.verbena.rnic.ib;

import io.verbena.rnic.PhasedEndpoint;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;

/**
 * The phase of a queue pair and of its connection, if it has one. The states shown by the verbs are derived from it.
 */
enum QueuePairPhase implements PhasedEndpoint.Phase {
    /** New, or moved back by the application. */
    RESET(InfinibandQueuePairState.RESET, ConnectionState.CONNECTING),
    /** Moved by the application, which exchanges addresses itself. */
    INIT(InfinibandQueuePairState.INIT, ConnectionState.CONNECTING),
    /** As INIT: the peer is known, and its requests are executed. */
    READY_TO_RECEIVE(InfinibandQueuePairState.RTR, ConnectionState.CONNECTING),
    /** A REQ was sent. */
    CONNECTING(InfinibandQueuePairState.INIT, ConnectionState.CONNECTING),
    /** A REP was sent: requests of the peer are executed. */
    ACCEPTING(InfinibandQueuePairState.RTR, ConnectionState.CONNECTING),
    /** Both sides may send. */
    OPEN(InfinibandQueuePairState.RTS, ConnectionState.ESTABLISHED),
    /** The application has stopped the send queue. Requests of the peer are executed. */
    SEND_QUEUE_DRAINED(InfinibandQueuePairState.SQD, ConnectionState.ESTABLISHED),
    /** Work of an unreliable service failed and has stopped the send queue. Messages of peers are received. */
    SEND_QUEUE_ERROR(InfinibandQueuePairState.SQE, ConnectionState.ESTABLISHED),
    /** The application closed the connection: posted work is completed first. */
    FINISHING(InfinibandQueuePairState.RTS, ConnectionState.CLOSING),
    /** A DREQ was sent and work is flushed; the peer has not answered yet. */
    LEAVING(InfinibandQueuePairState.ERR, ConnectionState.CLOSING),
    /** Closed gracefully by one of the sides. */
    CLOSED(InfinibandQueuePairState.ERR, ConnectionState.CLOSED),
    /** The application of the peer rejected the connection; the queue pair can be connected again. */
    REJECTED(InfinibandQueuePairState.RESET, ConnectionState.REJECTED),
    /** The set-up failed; the queue pair can be connected again. */
    NOT_SET_UP(InfinibandQueuePairState.RESET, ConnectionState.FAILED),
    /** Ended by an error, or by the application. */
    FAILED(InfinibandQueuePairState.ERR, ConnectionState.FAILED);

    private final InfinibandQueuePairState queuePair;
    private final ConnectionState connection;

    QueuePairPhase(InfinibandQueuePairState queuePair, ConnectionState connection) {
        this.queuePair = queuePair;
        this.connection = connection;
    }

    @Override
    public InfinibandQueuePairState queuePair() {
        return queuePair;
    }

    @Override
    public ConnectionState connection() {
        return connection;
    }

    /** Whether a connection is being set up. */
    boolean settingUp() {
        return this == CONNECTING || this == ACCEPTING;
    }

    /** Whether requests of the peer are executed: RTR to SQE. */
    boolean receives() {
        return queuePair.ordinal() >= InfinibandQueuePairState.RTR.ordinal()
                && queuePair != InfinibandQueuePairState.ERR;
    }

    /** Whether requests may have been sent, so that responses are expected: RTS to SQE. */
    boolean sends() {
        return receives() && queuePair != InfinibandQueuePairState.RTR;
    }
}
