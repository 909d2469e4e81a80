package io.verbena.rnic.ib;

import static io.verbena.rnic.ib.QueuePairEvent.ABORT;
import static io.verbena.rnic.ib.QueuePairEvent.ACCEPT;
import static io.verbena.rnic.ib.QueuePairEvent.ACCEPT_FAILED;
import static io.verbena.rnic.ib.QueuePairEvent.BROKEN;
import static io.verbena.rnic.ib.QueuePairEvent.CONNECT;
import static io.verbena.rnic.ib.QueuePairEvent.DISCONNECT;
import static io.verbena.rnic.ib.QueuePairEvent.ESTABLISHED;
import static io.verbena.rnic.ib.QueuePairEvent.PEER_LEFT;
import static io.verbena.rnic.ib.QueuePairEvent.PEER_LEFT_EARLY;
import static io.verbena.rnic.ib.QueuePairEvent.SEND_QUEUE_FAILED;
import static io.verbena.rnic.ib.QueuePairEvent.SET_UP_FAILED;
import static io.verbena.rnic.ib.QueuePairEvent.TO_INIT;
import static io.verbena.rnic.ib.QueuePairEvent.TO_RESET;
import static io.verbena.rnic.ib.QueuePairEvent.TO_RTR;
import static io.verbena.rnic.ib.QueuePairEvent.TO_RTS;
import static io.verbena.rnic.ib.QueuePairEvent.TO_SQD;
import static io.verbena.rnic.ib.QueuePairEvent.WORK_DONE;
import static io.verbena.rnic.ib.QueuePairPhase.ACCEPTING;
import static io.verbena.rnic.ib.QueuePairPhase.CLOSED;
import static io.verbena.rnic.ib.QueuePairPhase.CONNECTING;
import static io.verbena.rnic.ib.QueuePairPhase.FAILED;
import static io.verbena.rnic.ib.QueuePairPhase.FINISHING;
import static io.verbena.rnic.ib.QueuePairPhase.INIT;
import static io.verbena.rnic.ib.QueuePairPhase.LEAVING;
import static io.verbena.rnic.ib.QueuePairPhase.NOT_SET_UP;
import static io.verbena.rnic.ib.QueuePairPhase.OPEN;
import static io.verbena.rnic.ib.QueuePairPhase.READY_TO_RECEIVE;
import static io.verbena.rnic.ib.QueuePairPhase.REJECTED;
import static io.verbena.rnic.ib.QueuePairPhase.RESET;
import static io.verbena.rnic.ib.QueuePairPhase.SEND_QUEUE_DRAINED;
import static io.verbena.rnic.ib.QueuePairPhase.SEND_QUEUE_ERROR;

import io.verbena.base.TransitionTable;

/**
 * The life of a queue pair as one table with every phase and every event. The transitions of Modify QP are those of the
 * InfiniBand architecture specification, volume 1, section 10.3.1; those of a connection follow chapter 12.
 */
final class QueuePairTable {

    private static final String ORDER =
            "a queue pair is moved from RESET to INIT, RTR and RTS, and between RTS and SQD; this move skips a state";
    private static final String BUSY = "the queue pair is being connected; wait until that has ended";
    private static final String IN_USE = "the queue pair has a peer; move it to ERR and RESET first";
    private static final String CONNECTED = "the queue pair has a connection; close it first";
    private static final String SPENT = "the queue pair is in the ERR state; move it to RESET first";

    private QueuePairTable() {}

    static final TransitionTable<QueuePairPhase, QueuePairEvent> TABLE = table();

    private static TransitionTable<QueuePairPhase, QueuePairEvent> table() {
        TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table =
                TransitionTable.of(QueuePairPhase.class, QueuePairEvent.class);
        for (QueuePairPhase unused : new QueuePairPhase[] {RESET, REJECTED, NOT_SET_UP}) {
            unused(table, unused);
        }
        byHand(table);
        settingUp(table);
        for (QueuePairPhase open : new QueuePairPhase[] {OPEN, SEND_QUEUE_DRAINED, SEND_QUEUE_ERROR}) {
            open(table, open);
        }
        ending(table);
        return table.fromElsewhere(ABORT, FAILED).otherwiseNever().build();
    }

    private static void unused(TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table, QueuePairPhase in) {
        table.go(in, CONNECT, CONNECTING)
                .go(in, ACCEPT, ACCEPTING)
                .go(in, TO_INIT, INIT)
                .go(in, TO_RESET, RESET)
                .misuse(ORDER, in, TO_RTR, TO_RTS, TO_SQD)
                .ignore(in, DISCONNECT, SET_UP_FAILED, ACCEPT_FAILED);
    }

    /** RESET to RTR without connection management. */
    private static void byHand(TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table) {
        table.go(INIT, CONNECT, CONNECTING)
                .go(INIT, ACCEPT, ACCEPTING)
                .go(INIT, TO_INIT, INIT)
                .go(INIT, TO_RTR, READY_TO_RECEIVE)
                .go(INIT, TO_RESET, RESET)
                .misuse(ORDER, INIT, TO_RTS, TO_SQD)
                .ignore(INIT, DISCONNECT);
        table.go(READY_TO_RECEIVE, TO_RTS, OPEN)
                .go(READY_TO_RECEIVE, TO_RESET, RESET)
                .go(READY_TO_RECEIVE, BROKEN, FAILED)
                .misuse(IN_USE, READY_TO_RECEIVE, CONNECT, ACCEPT)
                .misuse(ORDER, READY_TO_RECEIVE, TO_INIT, TO_RTR, TO_SQD)
                .ignore(READY_TO_RECEIVE, DISCONNECT);
    }

    private static void settingUp(TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table) {
        table.go(CONNECTING, ESTABLISHED, OPEN)
                .go(CONNECTING, QueuePairEvent.REJECTED, REJECTED)
                .go(CONNECTING, SET_UP_FAILED, NOT_SET_UP)
                .misuse(BUSY, CONNECTING, CONNECT, ACCEPT, TO_INIT, TO_RTR, TO_RTS, TO_SQD, TO_RESET)
                .ignore(CONNECTING, DISCONNECT);
        table.go(ACCEPTING, ESTABLISHED, OPEN)
                .go(ACCEPTING, ACCEPT_FAILED, FAILED)
                .go(ACCEPTING, BROKEN, FAILED)
                .misuse(BUSY, ACCEPTING, CONNECT, ACCEPT, TO_INIT, TO_RTR, TO_RTS, TO_SQD, TO_RESET)
                .ignore(ACCEPTING, DISCONNECT);
    }

    private static void open(TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table, QueuePairPhase in) {
        table.go(in, TO_RTS, OPEN)
                .go(in, TO_RESET, RESET)
                .go(in, DISCONNECT, FINISHING)
                .go(in, PEER_LEFT, CLOSED)
                .go(in, PEER_LEFT_EARLY, FAILED)
                .go(in, SEND_QUEUE_FAILED, SEND_QUEUE_ERROR)
                .go(in, BROKEN, FAILED)
                .misuse(IN_USE, in, CONNECT, ACCEPT)
                .misuse(ORDER, in, TO_INIT, TO_RTR);
        if (in == SEND_QUEUE_ERROR) {
            table.misuse(ORDER, in, TO_SQD);
        } else {
            table.go(in, TO_SQD, SEND_QUEUE_DRAINED);
        }
    }

    private static void ending(TransitionTable.Builder<QueuePairPhase, QueuePairEvent> table) {
        table.go(FINISHING, WORK_DONE, LEAVING)
                .go(FINISHING, PEER_LEFT, CLOSED)
                .go(FINISHING, PEER_LEFT_EARLY, FAILED)
                .go(FINISHING, BROKEN, FAILED)
                .misuse(CONNECTED, FINISHING, CONNECT, ACCEPT, TO_INIT, TO_RTR, TO_RTS, TO_SQD, TO_RESET)
                .ignore(FINISHING, DISCONNECT, SEND_QUEUE_FAILED);
        table.go(LEAVING, PEER_LEFT, CLOSED)
                .misuse(CONNECTED, LEAVING, CONNECT, ACCEPT, TO_INIT, TO_RTR, TO_RTS, TO_SQD, TO_RESET)
                .ignore(LEAVING, DISCONNECT);
        for (QueuePairPhase over : new QueuePairPhase[] {CLOSED, FAILED}) {
            table.go(over, TO_RESET, RESET)
                    .misuse(SPENT, over, CONNECT, ACCEPT, TO_INIT, TO_RTR, TO_RTS, TO_SQD)
                    .ignore(over, DISCONNECT, SET_UP_FAILED, ACCEPT_FAILED, PEER_LEFT, PEER_LEFT_EARLY, BROKEN);
        }
        table.ignore(FAILED, ABORT);
    }
}
