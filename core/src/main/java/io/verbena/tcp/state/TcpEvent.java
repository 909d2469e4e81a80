package io.verbena.tcp.state;

/** What changes the state of a connection. */
public enum TcpEvent {
    /** A SYN of the peer, with which this side can synchronize. */
    SYN,
    /** The SYN of this side was acknowledged. */
    SYN_ACKED,
    /** The application has closed the direction of this side, and the FIN is queued. */
    CLOSE,
    /** All bytes of the peer up to its FIN have arrived. */
    FIN,
    /** The FIN of this side was acknowledged. */
    FIN_ACKED,
    /** TIME-WAIT has lasted two maximum segment lifetimes. */
    EXPIRED,
    /** A reset, an abort, or a failure. */
    ABORT
}
