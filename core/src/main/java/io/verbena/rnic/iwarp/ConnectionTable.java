package io.verbena.rnic.iwarp;

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
import static io.verbena.rnic.iwarp.ConnectionPhase.TERMINATING;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/**
 * The life cycle of a connection as one table with every phase and every event, from the design of closing connections,
 * the RDMA Consortium verbs, RFC 5040 sections 5.4 [8] and 6.2, and RFC 5041 section 6.2. The engine makes transitions
 * by this table, the states of queue pairs and connections are derived from it, and docs/connections.md shows it.
 * {@link ConnectionEffects} describes the other effects of a cell.
 */
public final class ConnectionTable {

    private ConnectionTable() {}

    /** All cells. */
    public static final TransitionTable<ConnectionPhase, ConnectionEvent> TABLE = table();

    private static TransitionTable<ConnectionPhase, ConnectionEvent> table() {
        Answer<ConnectionPhase> never = new Answer.Never<>();
        Answer<ConnectionPhase> stay = new Answer.Ignore<>();
        Answer<ConnectionPhase> busy = new Answer.Misuse<>("the queue pair is already being connected");
        Answer<ConnectionPhase> inUse = new Answer.Misuse<>("the queue pair has a connection; close it first");
        Answer<ConnectionPhase> spent =
                new Answer.Misuse<>("the connection of the queue pair has ended; call modify to move the queue pair to"
                        + " IDLE before connecting it again");
        Answer<ConnectionPhase> dial = go(DIALLING);
        Answer<ConnectionPhase> start = go(STARTING);
        Answer<ConnectionPhase> open = go(OPEN);
        Answer<ConnectionPhase> no = go(REJECTED);
        Answer<ConnectionPhase> none = go(NOT_SET_UP);
        Answer<ConnectionPhase> here = go(CLOSING_HERE);
        Answer<ConnectionPhase> there = go(CLOSING_THERE);
        Answer<ConnectionPhase> both = go(BOTH_ENDED);
        Answer<ConnectionPhase> term = go(TERMINATING);
        Answer<ConnectionPhase> breaks = go(BREAKING);
        Answer<ConnectionPhase> closed = go(CLOSED);
        Answer<ConnectionPhase> failed = go(FAILED);
        Answer<ConnectionPhase> idle = go(IDLE);
        return TransitionTable.of(ConnectionPhase.class, ConnectionEvent.class)
                // Columns: CONNECT, TAKE_OVER, TCP_STANDS, ESTABLISHED, REJECTED, SET_UP_FAILED,
                //          ACCEPT_FAILED, DISCONNECT, PEER_ENDED, BOTH_ENDED,
                //          ENDED_EARLY, FAULT_FOUND, TERMINATE_ARRIVED, STREAM_BROKEN, PEER_SILENT, ABORT,
                //          STREAM_CLOSED, TO_IDLE
                .row(
                        IDLE, dial, start, never, never, never, never, never, stay, never, never, never, never, never,
                        never, never, failed, never, stay)
                .row(
                        DIALLING, busy, busy, start, never, never, none, never, none, never, never, never, never, never,
                        never, never, failed, never, busy)
                .row(
                        STARTING, busy, busy, never, open, no, none, failed, none, never, never, never, never, never,
                        never, never, failed, never, busy)
                .row(
                        OPEN, inUse, inUse, never, never, never, never, never, here, there, never, breaks, term, term,
                        breaks, breaks, breaks, never, inUse)
                // RFC 5041 section 6.2.1 [3]: a half-close is reported, and both sides complete the remaining work.
                .row(
                        CLOSING_HERE,
                        inUse,
                        inUse,
                        never,
                        never,
                        never,
                        never,
                        never,
                        stay,
                        stay,
                        both,
                        breaks,
                        term,
                        term,
                        breaks,
                        breaks,
                        breaks,
                        never,
                        inUse)
                .row(
                        CLOSING_THERE,
                        inUse,
                        inUse,
                        never,
                        never,
                        never,
                        never,
                        never,
                        stay,
                        never,
                        both,
                        breaks,
                        term,
                        term,
                        breaks,
                        breaks,
                        breaks,
                        never,
                        inUse)
                .row(
                        BOTH_ENDED,
                        inUse,
                        inUse,
                        never,
                        never,
                        never,
                        never,
                        never,
                        stay,
                        never,
                        never,
                        never,
                        never,
                        never,
                        stay,
                        stay,
                        breaks,
                        closed,
                        inUse)
                // RFC 5040 sections 5.4 [8] and 7.1 [5]: after a Terminate only the close follows; the first cause
                // wins.
                .row(
                        TERMINATING,
                        inUse,
                        inUse,
                        never,
                        never,
                        never,
                        never,
                        never,
                        stay,
                        stay,
                        stay,
                        stay,
                        stay,
                        stay,
                        stay,
                        stay,
                        stay,
                        failed,
                        inUse)
                .row(
                        BREAKING, inUse, inUse, never, never, never, never, never, stay, stay, stay, stay, stay, stay,
                        stay, stay, stay, failed, inUse)
                .row(
                        CLOSED, spent, spent, never, never, never, stay, stay, stay, never, never, never, never, never,
                        never, never, failed, stay, idle)
                .row(
                        REJECTED, dial, start, never, never, never, stay, stay, stay, never, never, never, never, never,
                        never, never, failed, never, idle)
                .row(
                        NOT_SET_UP,
                        dial,
                        start,
                        never,
                        never,
                        never,
                        stay,
                        stay,
                        stay,
                        never,
                        never,
                        never,
                        never,
                        never,
                        never,
                        never,
                        failed,
                        never,
                        idle)
                .row(
                        FAILED, spent, spent, never, never, never, stay, stay, stay, never, never, never, never, never,
                        never, never, stay, stay, idle)
                .build();
    }

    private static Answer<ConnectionPhase> go(ConnectionPhase next) {
        return new Answer.Go<>(next);
    }
}
