package io.verbena.tcp.state;

/** The states of a connection (RFC 9293 section 3.3.2). LISTEN belongs to a listener. */
public enum TcpState {
    SYN_SENT,
    SYN_RECEIVED,
    ESTABLISHED,
    FIN_WAIT_1,
    FIN_WAIT_2,
    CLOSE_WAIT,
    CLOSING,
    LAST_ACK,
    TIME_WAIT,
    CLOSED;

    /** Whether both sides know both initial sequence numbers. */
    public boolean synchronizedState() {
        return compareTo(ESTABLISHED) >= 0 && this != CLOSED;
    }

    /** Whether data may be received. */
    public boolean receives() {
        return this == ESTABLISHED || this == FIN_WAIT_1 || this == FIN_WAIT_2;
    }

    /** Whether the peer's FIN was processed. */
    boolean peerEnded() {
        return this == CLOSE_WAIT || this == CLOSING || this == LAST_ACK || this == TIME_WAIT;
    }
}
