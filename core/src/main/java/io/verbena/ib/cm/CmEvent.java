package io.verbena.ib.cm;

/** What can happen to a connection: calls of the application, messages of the peer, time. */
enum CmEvent {
    /** The application wants to connect. */
    CONNECT,
    REQ_COMES,
    /** The application accepts a REQ. */
    ACCEPT,
    /** The application wants no connection. */
    REJECT,
    /** The application needs time. */
    DELAY,
    REP_COMES,
    /** The application is ready after a REP. */
    READY,
    RTU_COMES,
    /** The first packet of the peer's queue pair has come: its RTU was lost, or is slower. */
    DATA_COMES,
    MRA_COMES,
    REJ_COMES,
    /** The application wants to end the connection. */
    DISCONNECT,
    DREQ_COMES,
    DREP_COMES,
    /** No answer has come, as often as it was asked for; or the time of a state is over. */
    EXPIRED
}
