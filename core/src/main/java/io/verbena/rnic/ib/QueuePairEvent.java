package io.verbena.rnic.ib;

/** An event in the life of a queue pair, caused by the application, connection management, packets, or time. */
enum QueuePairEvent {
    /** The application connects. */
    CONNECT,
    /** The application accepts a request. */
    ACCEPT,
    /** The application moves the queue pair to INIT. */
    TO_INIT,
    /** The application moves the queue pair to RTR, with the address of the peer. */
    TO_RTR,
    /** The application moves the queue pair to RTS: from RTR, SQD or SQE. */
    TO_RTS,
    /** The application stops the send queue. */
    TO_SQD,
    /** The application prepares the queue pair for another peer. */
    TO_RESET,
    /** Connection management has finished the set-up. */
    ESTABLISHED,
    /** The application of the peer rejected the request. */
    REJECTED,
    /** No answer, a timeout, or a refusal by the RNIC of the peer. */
    SET_UP_FAILED,
    /** As SET_UP_FAILED, for a request that the application has accepted. It may be waiting for a completion only. */
    ACCEPT_FAILED,
    /** The application closes the connection gracefully. */
    DISCONNECT,
    /** All posted work is complete after DISCONNECT; a DREQ is sent. */
    WORK_DONE,
    /** The peer closed the connection when no work was pending, or has answered the DREQ. */
    PEER_LEFT,
    /** The peer closed the connection while work was pending. */
    PEER_LEFT_EARLY,
    /** Work of an unreliable service failed. */
    SEND_QUEUE_FAILED,
    /** The protocol has failed: a violation, a refusal, or no answer. */
    BROKEN,
    /** Modify QP to ERR, Destroy QP, close of the RNIC, a CQ overflow, or a bug. */
    ABORT
}
