package io.verbena.ib.cm;

/** The events of a connection: calls of the application, messages of the peer, time-outs. */
enum CmEvent {
    /** The application requests a connection. */
    CONNECT,
    REQ_RECEIVED,
    /** The application accepts a REQ. */
    ACCEPT,
    /** The application rejects the connection. */
    REJECT,
    /** The application needs more time. */
    DELAY,
    REP_RECEIVED,
    /** The application is ready after a REP. */
    READY,
    RTU_RECEIVED,
    /** The first packet of the peer's queue pair has arrived before its RTU, which was lost or is late. */
    DATA_RECEIVED,
    MRA_RECEIVED,
    REJ_RECEIVED,
    /** The application ends the connection. */
    DISCONNECT,
    DREQ_RECEIVED,
    DREP_RECEIVED,
    /** No answer has arrived after all retries, or the duration of a state has elapsed. */
    EXPIRED,
    /** A connection of an earlier process, which the peer may still have, is to be ended. */
    RESTARTED
}
