package io.verbena.rnic.iwarp;

import io.verbena.iwarp.Ending;
import io.verbena.verbs.AsyncEventType;
import java.util.Optional;

/** An event in the life of a connection, caused by the application, the stream, the frames of the peer, or time. */
public enum ConnectionEvent {
    /** The application connects a queue pair. */
    CONNECT,
    /** The application passes a stream, or accepts one from a listener: MPA is enabled on it. */
    TAKE_OVER,
    /** The TCP connection is established; the MPA Request is sent. */
    TCP_CONNECTED,
    /** Request and Reply have been exchanged. */
    ESTABLISHED,
    /** The Reply rejects the connection. */
    REJECTED,
    /** No answer, a timeout, a malformed frame, or the end of the stream before the connection was established. */
    SET_UP_FAILED,
    /**
     * As SET_UP_FAILED, for a request that the application has accepted. The peer is gone, and the application may be
     * waiting for a completion only.
     */
    ACCEPT_FAILED,
    /** The application closes the connection gracefully. */
    DISCONNECT,
    /**
     * The FIN of the peer at an FPDU boundary, when the peer owes no response; on a connection that survives its
     * transport, the farewell before it.
     */
    PEER_ENDED,
    /** Both directions have ended and no work is incomplete. */
    BOTH_ENDED,
    /** The FIN of the peer inside a message, before it has answered, or before this side was allowed to send. */
    ENDED_EARLY(AsyncEventType.BAD_CLOSE),
    /** This side detects a fault of the peer or of its own: a Terminate message is sent. */
    FAULT_FOUND,
    /** The Terminate message of the peer. */
    TERMINATE_ARRIVED(AsyncEventType.TERMINATE_RECEIVED),
    /** A reset, or an error of the stream reported by the system. */
    STREAM_BROKEN(AsyncEventType.CONNECTION_RESET),
    /** The stream of a connection that survives has ended, or is given up: another one is set up. */
    TRANSPORT_ENDED,
    /** No byte arrived within the keep-alive time, or the peer does not complete a close in time. */
    PEER_SILENT(AsyncEventType.CONNECTION_LOST),
    /** Modify QP to ERROR, Destroy QP, close of the RNIC, a CQ overflow, or a bug. */
    ABORT,
    /** The stream has been closed: no byte can be sent or received. */
    STREAM_CLOSED,
    /** The application moves a queue pair back to IDLE after the end of a connection, to prepare it for another one. */
    TO_IDLE;

    private final Optional<AsyncEventType> asyncEvent;

    ConnectionEvent() {
        this.asyncEvent = Optional.empty();
    }

    ConnectionEvent(AsyncEventType asyncEvent) {
        this.asyncEvent = Optional.of(asyncEvent);
    }

    /** The event for an end of the RDMA layer. */
    static ConnectionEvent of(Ending.Kind kind) {
        return switch (kind) {
            case GRACEFUL -> BOTH_ENDED;
            case TERMINATED_BY_US -> FAULT_FOUND;
            case TERMINATED_BY_PEER -> TERMINATE_ARRIVED;
            case BAD_CLOSE -> ENDED_EARLY;
            case BROKEN -> STREAM_BROKEN;
            case LOST -> PEER_SILENT;
            case ABORTED -> ABORT;
        };
    }

    /**
     * The asynchronous event that is raised if this event ends the connection. Empty for none, and for {@link
     * #FAULT_FOUND}, where the fault determines it.
     */
    public Optional<AsyncEventType> asyncEvent() {
        return asyncEvent;
    }
}
