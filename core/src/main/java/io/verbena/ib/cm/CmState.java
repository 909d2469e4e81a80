package io.verbena.ib.cm;

/** Where a connection stands for communication management. */
enum CmState {
    IDLE,
    /** Our REQ is on its way. */
    REQ_SENT,
    /** The peer has our REQ and takes its time. */
    MRA_REQ_RCVD,
    /** A REQ waits for the application. */
    REQ_RCVD,
    /** The same, and the peer was told that it takes longer. */
    MRA_REQ_SENT,
    /** Our REP is on its way. */
    REP_SENT,
    /** The peer has our REP and takes its time. */
    MRA_REP_RCVD,
    /** A REP waits for the application. */
    REP_RCVD,
    /** The same, and the peer was told that it takes longer. */
    MRA_REP_SENT,
    ESTABLISHED,
    /** Our DREQ is on its way. */
    DREQ_SENT,
    /** Packets of the connection may still be under way: its queue pair and numbers must not be used again. */
    TIMEWAIT,
    CLOSED
}
