package io.verbena.rnic.iwarp;

import static io.verbena.rnic.iwarp.ConnectionEvent.ABORT;
import static io.verbena.rnic.iwarp.ConnectionEvent.ACCEPT_FAILED;
import static io.verbena.rnic.iwarp.ConnectionEvent.CONNECT;
import static io.verbena.rnic.iwarp.ConnectionEvent.DISCONNECT;
import static io.verbena.rnic.iwarp.ConnectionEvent.ENDED_EARLY;
import static io.verbena.rnic.iwarp.ConnectionEvent.ESTABLISHED;
import static io.verbena.rnic.iwarp.ConnectionEvent.FAULT_FOUND;
import static io.verbena.rnic.iwarp.ConnectionEvent.PEER_ENDED;
import static io.verbena.rnic.iwarp.ConnectionEvent.PEER_SILENT;
import static io.verbena.rnic.iwarp.ConnectionEvent.SET_UP_FAILED;
import static io.verbena.rnic.iwarp.ConnectionEvent.STREAM_BROKEN;
import static io.verbena.rnic.iwarp.ConnectionEvent.STREAM_CLOSED;
import static io.verbena.rnic.iwarp.ConnectionEvent.TAKE_OVER;
import static io.verbena.rnic.iwarp.ConnectionEvent.TCP_CONNECTED;
import static io.verbena.rnic.iwarp.ConnectionEvent.TERMINATE_ARRIVED;
import static io.verbena.rnic.iwarp.ConnectionEvent.TO_IDLE;
import static io.verbena.rnic.iwarp.ConnectionEvent.TRANSPORT_ENDED;
import static io.verbena.rnic.iwarp.ConnectionPhase.BOTH_ENDED;
import static io.verbena.rnic.iwarp.ConnectionPhase.BREAKING;
import static io.verbena.rnic.iwarp.ConnectionPhase.CLOSED;
import static io.verbena.rnic.iwarp.ConnectionPhase.CLOSING_HERE;
import static io.verbena.rnic.iwarp.ConnectionPhase.CLOSING_THERE;
import static io.verbena.rnic.iwarp.ConnectionPhase.DIALLING;
import static io.verbena.rnic.iwarp.ConnectionPhase.FAILED;
import static io.verbena.rnic.iwarp.ConnectionPhase.IDLE;
import static io.verbena.rnic.iwarp.ConnectionPhase.NOT_SET_UP;
import static io.verbena.rnic.iwarp.ConnectionPhase.OPEN;
import static io.verbena.rnic.iwarp.ConnectionPhase.REJECTED;
import static io.verbena.rnic.iwarp.ConnectionPhase.STARTING;
import static io.verbena.rnic.iwarp.ConnectionPhase.SURVIVING;
import static io.verbena.rnic.iwarp.ConnectionPhase.SURVIVING_TO_CLOSE;
import static io.verbena.rnic.iwarp.ConnectionPhase.TERMINATING;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Builder;
import java.util.List;

/**
 * The life cycle of a connection as one table with every phase and every event, from the design of closing connections,
 * the RDMA Consortium verbs, RFC 5040 sections 5.4 [8] and 6.2, and RFC 5041 section 6.2. The engine makes transitions
 * by this table, the states of queue pairs and connections are derived from it, and docs/connections.md shows it.
 * {@link ConnectionEffects} describes the other effects of a cell.
 */
public final class ConnectionTable {

    private static final String BUSY = "the queue pair is already being connected";
    private static final String IN_USE = "the queue pair has a connection; close it first";
    private static final String SPENT =
            "the connection of the queue pair has ended; call modify to move the queue pair to"
                    + " IDLE before connecting it again";

    /** All cells. */
    public static final TransitionTable<ConnectionPhase, ConnectionEvent> TABLE = table();

    private ConnectionTable() {}

    private static TransitionTable<ConnectionPhase, ConnectionEvent> table() {
        Builder<ConnectionPhase, ConnectionEvent> table =
                TransitionTable.of(ConnectionPhase.class, ConnectionEvent.class);
        setUp(table);
        for (ConnectionPhase connected : List.of(OPEN, CLOSING_HERE, CLOSING_THERE)) {
            table.misuse(IN_USE, connected, CONNECT, TAKE_OVER, TO_IDLE)
                    .go(connected, FAULT_FOUND, TERMINATING)
                    .go(connected, TERMINATE_ARRIVED, TERMINATING)
                    .go(connected, ENDED_EARLY, BREAKING)
                    .go(connected, STREAM_BROKEN, BREAKING)
                    .go(connected, PEER_SILENT, BREAKING)
                    .go(connected, ABORT, BREAKING);
        }
        // RFC 5041 section 6.2.1 [3]: a half-close is reported, and both sides complete the remaining work.
        table.go(OPEN, DISCONNECT, CLOSING_HERE)
                .go(OPEN, PEER_ENDED, CLOSING_THERE)
                .ignore(CLOSING_HERE, DISCONNECT, PEER_ENDED)
                .go(CLOSING_HERE, ConnectionEvent.BOTH_ENDED, BOTH_ENDED)
                .ignore(CLOSING_THERE, DISCONNECT)
                .go(CLOSING_THERE, ConnectionEvent.BOTH_ENDED, BOTH_ENDED)
                .misuse(IN_USE, BOTH_ENDED, CONNECT, TAKE_OVER, TO_IDLE)
                .ignore(BOTH_ENDED, DISCONNECT, STREAM_BROKEN, PEER_SILENT)
                .go(BOTH_ENDED, ABORT, BREAKING)
                .go(BOTH_ENDED, STREAM_CLOSED, CLOSED);
        // The work of a connection that survives is kept until another stream carries it, or none is found in time.
        table.go(OPEN, TRANSPORT_ENDED, SURVIVING)
                .go(CLOSING_HERE, TRANSPORT_ENDED, SURVIVING_TO_CLOSE)
                .go(CLOSING_THERE, TRANSPORT_ENDED, SURVIVING_TO_CLOSE)
                .go(SURVIVING, ESTABLISHED, OPEN)
                .go(SURVIVING, DISCONNECT, SURVIVING_TO_CLOSE)
                .go(SURVIVING_TO_CLOSE, ESTABLISHED, CLOSING_HERE)
                .ignore(SURVIVING_TO_CLOSE, DISCONNECT)
                .go(SURVIVING_TO_CLOSE, ConnectionEvent.BOTH_ENDED, BOTH_ENDED);
        for (ConnectionPhase surviving : List.of(SURVIVING, SURVIVING_TO_CLOSE)) {
            table.misuse(IN_USE, surviving, CONNECT, TAKE_OVER, TO_IDLE)
                    .ignore(surviving, TRANSPORT_ENDED, TCP_CONNECTED)
                    .go(surviving, PEER_SILENT, FAILED)
                    .go(surviving, ABORT, FAILED);
        }
        // RFC 5040 sections 5.4 [8] and 7.1 [5]: after a Terminate only the close follows; the first cause wins.
        for (ConnectionPhase ending : List.of(TERMINATING, BREAKING)) {
            table.misuse(IN_USE, ending, CONNECT, TAKE_OVER, TO_IDLE)
                    .ignore(ending, DISCONNECT, PEER_ENDED, ConnectionEvent.BOTH_ENDED, ENDED_EARLY, FAULT_FOUND)
                    .ignore(ending, TERMINATE_ARRIVED, STREAM_BROKEN, PEER_SILENT, ABORT)
                    .go(ending, STREAM_CLOSED, FAILED);
        }
        ends(table);
        return table.otherwiseNever().build();
    }

    private static void setUp(Builder<ConnectionPhase, ConnectionEvent> table) {
        table.go(IDLE, CONNECT, DIALLING)
                .go(IDLE, TAKE_OVER, STARTING)
                .go(IDLE, ABORT, FAILED)
                .ignore(IDLE, DISCONNECT, TO_IDLE);
        for (ConnectionPhase starting : List.of(DIALLING, STARTING)) {
            table.misuse(BUSY, starting, CONNECT, TAKE_OVER, TO_IDLE)
                    .go(starting, SET_UP_FAILED, NOT_SET_UP)
                    .go(starting, DISCONNECT, NOT_SET_UP)
                    .go(starting, ABORT, FAILED);
        }
        table.go(DIALLING, TCP_CONNECTED, STARTING)
                .go(STARTING, ESTABLISHED, OPEN)
                .go(STARTING, ConnectionEvent.REJECTED, REJECTED)
                .go(STARTING, ACCEPT_FAILED, FAILED);
    }

    /** The phases after a connection, which a queue pair leaves only for IDLE or, if it was not set up, for another attempt. */
    private static void ends(Builder<ConnectionPhase, ConnectionEvent> table) {
        for (ConnectionPhase ended : List.of(CLOSED, REJECTED, NOT_SET_UP, FAILED)) {
            table.ignore(ended, SET_UP_FAILED, ACCEPT_FAILED, DISCONNECT).go(ended, TO_IDLE, IDLE);
        }
        for (ConnectionPhase unused : List.of(REJECTED, NOT_SET_UP)) {
            table.go(unused, CONNECT, DIALLING).go(unused, TAKE_OVER, STARTING).go(unused, ABORT, FAILED);
        }
        table.misuse(SPENT, CLOSED, CONNECT, TAKE_OVER)
                .go(CLOSED, ABORT, FAILED)
                .ignore(CLOSED, STREAM_CLOSED)
                .misuse(SPENT, FAILED, CONNECT, TAKE_OVER)
                .ignore(FAILED, ABORT, STREAM_CLOSED);
    }
}
