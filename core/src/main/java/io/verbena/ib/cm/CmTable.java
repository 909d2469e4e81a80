package io.verbena.ib.cm;

import static io.verbena.ib.cm.CmState.CLOSED;
import static io.verbena.ib.cm.CmState.DREQ_SENT;
import static io.verbena.ib.cm.CmState.ESTABLISHED;
import static io.verbena.ib.cm.CmState.IDLE;
import static io.verbena.ib.cm.CmState.MRA_REP_RCVD;
import static io.verbena.ib.cm.CmState.MRA_REP_SENT;
import static io.verbena.ib.cm.CmState.MRA_REQ_RCVD;
import static io.verbena.ib.cm.CmState.MRA_REQ_SENT;
import static io.verbena.ib.cm.CmState.REP_RCVD;
import static io.verbena.ib.cm.CmState.REP_SENT;
import static io.verbena.ib.cm.CmState.REQ_RCVD;
import static io.verbena.ib.cm.CmState.REQ_SENT;
import static io.verbena.ib.cm.CmState.TIMEWAIT;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/**
 * The life of a connection as one table (InfiniBand architecture specification, volume 1, sections 12.9.5 to 12.9.8). A
 * peer's message that a state does not allow is ignored. {@link CmAgent} and {@link CmPeers} send the messages and
 * signals of a transition.
 */
final class CmTable {

    private static final Answer<CmState> __ = new Answer.Ignore<>();
    private static final Answer<CmState> XX = new Answer.Never<>();

    private static final Answer<CmState> NO_REQUEST =
            new Answer.Misuse<>("no request of the peer waits for an answer on this connection");
    private static final Answer<CmState> NO_REPLY =
            new Answer.Misuse<>("no reply of the peer waits for confirmation on this connection");
    private static final Answer<CmState> USED =
            new Answer.Misuse<>("this connection was used already: create another one");

    private CmTable() {}

    private static Answer<CmState> to(CmState state) {
        return new Answer.Go<>(state);
    }

    // spotless:off
    static final TransitionTable<CmState, CmEvent> TABLE = TransitionTable.of(CmState.class, CmEvent.class)
            //      CONNECT          REQ              ACCEPT           REJECT           DELAY            REP
            //      READY            RTU              DATA             MRA              REJ              DISCONNECT
            //      DREQ             DREP             EXPIRED          RESTARTED
            .row(IDLE,
                    to(REQ_SENT),    to(REQ_RCVD),    NO_REQUEST,      NO_REQUEST,      NO_REQUEST,      __,
                    NO_REPLY,        __,              __,              __,              __,              to(CLOSED),
                    __,              __,              XX,              to(DREQ_SENT))
            .row(REQ_SENT,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      NO_REQUEST,      to(REP_RCVD),
                    NO_REPLY,        __,              __,              to(MRA_REQ_RCVD),to(CLOSED),      to(CLOSED),
                    __,              __,              to(CLOSED),      XX)
            .row(MRA_REQ_RCVD,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      NO_REQUEST,      to(REP_RCVD),
                    NO_REPLY,        __,              __,              to(MRA_REQ_RCVD),to(CLOSED),      to(CLOSED),
                    __,              __,              to(CLOSED),      XX)
            .row(REQ_RCVD,
                    USED,            __,              to(REP_SENT),    to(CLOSED),      to(MRA_REQ_SENT),__,
                    NO_REPLY,        __,              __,              __,              to(CLOSED),      to(CLOSED),
                    __,              __,              to(CLOSED),      XX)
            .row(MRA_REQ_SENT,
                    USED,            to(MRA_REQ_SENT),to(REP_SENT),    to(CLOSED),      to(MRA_REQ_SENT),__,
                    NO_REPLY,        __,              __,              __,              to(CLOSED),      to(CLOSED),
                    __,              __,              to(CLOSED),      XX)
            .row(REP_SENT,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      NO_REQUEST,      __,
                    NO_REPLY,        to(ESTABLISHED), to(ESTABLISHED), to(MRA_REP_RCVD),to(CLOSED),      to(DREQ_SENT),
                    to(TIMEWAIT),    __,              to(CLOSED),      XX)
            .row(MRA_REP_RCVD,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      NO_REQUEST,      __,
                    NO_REPLY,        to(ESTABLISHED), to(ESTABLISHED), to(MRA_REP_RCVD),to(CLOSED),      to(DREQ_SENT),
                    to(TIMEWAIT),    __,              to(CLOSED),      XX)
            .row(REP_RCVD,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      to(MRA_REP_SENT),__,
                    to(ESTABLISHED), __,              __,              __,              to(CLOSED),      to(CLOSED),
                    to(TIMEWAIT),    __,              to(CLOSED),      XX)
            .row(MRA_REP_SENT,
                    USED,            __,              NO_REQUEST,      to(CLOSED),      to(MRA_REP_SENT),to(MRA_REP_SENT),
                    to(ESTABLISHED), __,              __,              __,              to(CLOSED),      to(CLOSED),
                    to(TIMEWAIT),    __,              to(CLOSED),      XX)
            .row(ESTABLISHED,
                    USED,            __,              NO_REQUEST,      NO_REQUEST,      NO_REQUEST,      to(ESTABLISHED),
                    __,              __,              __,              __,              to(TIMEWAIT),    to(DREQ_SENT),
                    to(TIMEWAIT),    __,              to(ESTABLISHED), XX)
            .row(DREQ_SENT,
                    USED,            __,              NO_REQUEST,      NO_REQUEST,      NO_REQUEST,      __,
                    NO_REPLY,        __,              __,              __,              to(TIMEWAIT),    __,
                    to(TIMEWAIT),    to(TIMEWAIT),    to(TIMEWAIT),    XX)
            .row(TIMEWAIT,
                    USED,            __,              NO_REQUEST,      NO_REQUEST,      NO_REQUEST,      __,
                    NO_REPLY,        __,              __,              __,              __,              __,
                    to(TIMEWAIT),    __,              to(CLOSED),      XX)
            .row(CLOSED,
                    USED,            __,              NO_REQUEST,      NO_REQUEST,      NO_REQUEST,      __,
                    NO_REPLY,        __,              __,              __,              __,              __,
                    __,              __,              XX,              XX)
            .build();
    // spotless:on
}
