package io.verbena.tcp.state;

import static io.verbena.tcp.state.TcpState.CLOSED;
import static io.verbena.tcp.state.TcpState.CLOSE_WAIT;
import static io.verbena.tcp.state.TcpState.CLOSING;
import static io.verbena.tcp.state.TcpState.ESTABLISHED;
import static io.verbena.tcp.state.TcpState.FIN_WAIT_1;
import static io.verbena.tcp.state.TcpState.FIN_WAIT_2;
import static io.verbena.tcp.state.TcpState.LAST_ACK;
import static io.verbena.tcp.state.TcpState.SYN_RECEIVED;
import static io.verbena.tcp.state.TcpState.SYN_SENT;
import static io.verbena.tcp.state.TcpState.TIME_WAIT;

import io.verbena.base.StateMachine;
import io.verbena.base.TransitionTable;

/**
 * The states of a connection and their transitions (RFC 9293 section 3.3.2 [note], figure 5). Sequence numbers, not this table,
 * decide whether a segment is such an event.
 */
public final class TcpStates {

    private static final TransitionTable<TcpState, TcpEvent> TABLE = TransitionTable.of(TcpState.class, TcpEvent.class)
            // RFC 9293 section 3.5 [1]: simultaneous opens lead from SYN-SENT to SYN-RECEIVED.
            .go(SYN_SENT, TcpEvent.SYN, SYN_RECEIVED)
            .go(SYN_SENT, TcpEvent.SYN_ACKED, ESTABLISHED)
            .go(SYN_SENT, TcpEvent.CLOSE, CLOSED)
            .go(SYN_RECEIVED, TcpEvent.SYN_ACKED, ESTABLISHED)
            .go(SYN_RECEIVED, TcpEvent.CLOSE, FIN_WAIT_1)
            .ignore(SYN_RECEIVED, TcpEvent.SYN)
            .go(ESTABLISHED, TcpEvent.CLOSE, FIN_WAIT_1)
            .go(ESTABLISHED, TcpEvent.FIN, CLOSE_WAIT)
            .ignore(ESTABLISHED, TcpEvent.SYN_ACKED)
            .go(FIN_WAIT_1, TcpEvent.FIN_ACKED, FIN_WAIT_2)
            .go(FIN_WAIT_1, TcpEvent.FIN, CLOSING)
            .ignore(FIN_WAIT_1, TcpEvent.CLOSE, TcpEvent.SYN_ACKED)
            .go(FIN_WAIT_2, TcpEvent.FIN, TIME_WAIT)
            .ignore(FIN_WAIT_2, TcpEvent.CLOSE)
            .go(CLOSE_WAIT, TcpEvent.CLOSE, LAST_ACK)
            .ignore(CLOSE_WAIT, TcpEvent.FIN)
            .go(CLOSING, TcpEvent.FIN_ACKED, TIME_WAIT)
            .ignore(CLOSING, TcpEvent.FIN, TcpEvent.CLOSE)
            .go(LAST_ACK, TcpEvent.FIN_ACKED, CLOSED)
            .ignore(LAST_ACK, TcpEvent.FIN, TcpEvent.CLOSE)
            .go(TIME_WAIT, TcpEvent.EXPIRED, CLOSED)
            .ignore(TIME_WAIT, TcpEvent.FIN, TcpEvent.FIN_ACKED, TcpEvent.CLOSE)
            .ignore(CLOSED, TcpEvent.CLOSE, TcpEvent.ABORT)
            .fromElsewhere(TcpEvent.ABORT, CLOSED)
            .otherwiseNever()
            .build();

    private TcpStates() {}

    /** A machine of a side that connects or accepts. */
    public static StateMachine<TcpState, TcpEvent> start(boolean connects) {
        return new StateMachine<>(TABLE, connects ? SYN_SENT : SYN_RECEIVED);
    }

    /** The table, for documents. */
    static TransitionTable<TcpState, TcpEvent> table() {
        return TABLE;
    }
}
