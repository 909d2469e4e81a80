package io.verbena.rnic.iwarp;

import io.verbena.iwarp.Ending;
import io.verbena.verbs.AsyncEventType;
import java.util.Optional;

/** What may happen to a connection, wherever it comes from: the application, the stream, the peer's frames, time. */
public enum ConnectionEvent {
    /** The application connects a queue pair. */
    CONNECT("the application connects"),
    /** The application gives a stream, or accepts one that a listener has: MPA is enabled on it. */
    TAKE_OVER("a stream is given to the RNIC"),
    /** TCP stands; the MPA Request goes out. */
    TCP_STANDS("TCP connects"),
    /** Request and Reply have been exchanged. */
    ESTABLISHED("start-up is done"),
    /** The Reply says no. */
    REJECTED("the Reply rejects"),
    /** Nobody there, a time-out, a bad frame, the stream ended: no connection. */
    SET_UP_FAILED("set-up fails"),
    /**
     * The same of a request that the application has accepted: its peer is gone, and the application may be waiting for nothing
     * but a completion.
     */
    ACCEPT_FAILED("set-up of an accepted request fails"),
    /** The application closes in good order. */
    DISCONNECT("the application disconnects"),
    /** The peer's FIN, on an FPDU's edge, with nothing that it owes us. */
    PEER_ENDED("the peer ends its direction"),
    /** Both directions have ended and nothing was left undone. */
    BOTH_ENDED("both directions have ended"),
    /** The peer's FIN inside a message, or before it has answered, or before it let us speak. */
    ENDED_EARLY("the peer ends in the middle", AsyncEventType.BAD_CLOSE),
    /** We find a fault of the peer's or of our own: a Terminate message goes out. */
    FAULT_FOUND("a fault is found here"),
    /** The peer's Terminate message. */
    TERMINATE_ARRIVED("a Terminate message arrives", AsyncEventType.TERMINATE_RECEIVED),
    /** RST, or the system says that the stream is broken. */
    STREAM_BROKEN("the stream breaks", AsyncEventType.CONNECTION_RESET),
    /** Nothing was heard within the keep-alive bound, or the peer does not finish a close in time. */
    PEER_SILENT("the peer is silent for too long", AsyncEventType.CONNECTION_LOST),
    /** Modify QP to ERROR, Destroy QP, the RNIC is closed, a CQ overflowed, a bug. */
    ABORT("the connection is aborted here"),
    /** The stream has been closed: no byte can come or go. */
    STREAM_CLOSED("the stream is closed"),
    /** The application moves a queue pair back to IDLE after an end, for another connection. */
    TO_IDLE("the application moves the queue pair to IDLE");

    private final String sentence;
    private final Optional<AsyncEventType> told;

    ConnectionEvent(String sentence) {
        this.sentence = sentence;
        this.told = Optional.empty();
    }

    ConnectionEvent(String sentence, AsyncEventType told) {
        this.sentence = sentence;
        this.told = Optional.of(told);
    }

    /** What an end of the RDMA layer is to a connection. */
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

    /** What happens, half a sentence for people. */
    public String sentence() {
        return sentence;
    }

    /**
     * The asynchronous event that it brings where it ends the connection; empty for none, and for {@link #FAULT_FOUND}, where
     * the fault decides.
     */
    public Optional<AsyncEventType> told() {
        return told;
    }
}
