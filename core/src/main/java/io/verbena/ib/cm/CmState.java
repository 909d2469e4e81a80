package io.verbena.ib.cm;

/** The states of a connection for communication management. */
enum CmState {
    IDLE,
    /** The REQ was sent. */
    REQ_SENT,
    /** The peer answered the REQ with an MRA. */
    MRA_REQ_RCVD,
    /** A REQ of the peer waits for the application. */
    REQ_RCVD,
    /** The same; an MRA was sent. */
    MRA_REQ_SENT,
    /** The REP was sent. */
    REP_SENT,
    /** The peer answered the REP with an MRA. */
    MRA_REP_RCVD,
    /** A REP of the peer waits for the application. */
    REP_RCVD,
    /** The same; an MRA was sent. */
    MRA_REP_SENT,
    ESTABLISHED,
    /** The DREQ was sent. */
    DREQ_SENT,
    /** Packets of the connection may still arrive: its queue pair and numbers must not be reused. */
    TIMEWAIT,
    CLOSED
}
