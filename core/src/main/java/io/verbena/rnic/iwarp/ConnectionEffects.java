package io.verbena.rnic.iwarp;

import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.AsyncEventType;

/**
 * The effects of a cell of the {@link ConnectionTable} besides the next phase, as text.
 *
 * @param work the effect on pending work
 * @param event the asynchronous event that is raised, or empty
 * @param wire what is sent
 */
public record ConnectionEffects(String work, String event, String wire) {

    /** The effects of a transition. */
    public static ConnectionEffects of(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        return new ConnectionEffects(workOf(from, event, to), asyncEvent(from, event, to), wireOf(from, event));
    }

    private static String workOf(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        return switch (to) {
            case DIALLING, STARTING, REJECTED, NOT_SET_UP -> "receives stay posted";
            case IDLE -> from == ConnectionPhase.IDLE || from.settingUp() ? "receives stay posted" : "none is left";
            case SURVIVING, SURVIVING_TO_CLOSE -> "is kept";
            case OPEN ->
                from.survives() ? "what the peer has executed completes, the rest is sent again, in order" : "begins";
            case CLOSING_HERE -> "is completed, as are later posts until the FIN is sent";
            case CLOSING_THERE -> "continues; work sent from now on completes if no reset follows";
            case BOTH_ENDED -> "receives are flushed";
            case TERMINATING ->
                event == ConnectionEvent.TERMINATE_ARRIVED
                        ? "the request that the peer reports gets its status, the rest is flushed"
                        : "the responsible local request, or else the oldest, gets the status, the rest is flushed";
            case BREAKING, FAILED ->
                event == ConnectionEvent.ABORT || from.over() || from.settingUp()
                        ? "all is flushed"
                        : from.flushes() ? "is flushed" : "the oldest send gets CONNECTION_LOST, the rest is flushed";
            case CLOSED -> "none is left; new work is flushed";
        };
    }

    private static String asyncEvent(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        if (from.survives() && event == ConnectionEvent.ESTABLISHED) {
            return AsyncEventType.TRANSPORT_CHANGED.name();
        }
        if (to == ConnectionPhase.CLOSED) {
            return AsyncEventType.CLOSE_COMPLETE.name();
        }
        if (event == ConnectionEvent.FAULT_FOUND) {
            return "depending on the fault: QP_ACCESS_ERROR, QP_REQUEST_ERROR, INVALID_CRC, BAD_FRAME, "
                    + "MESSAGE_OUT_OF_ORDER, READ_QUEUE_OVERFLOW or QP_FATAL";
        }
        return event.asyncEvent().map(Enum::name).orElse("");
    }

    private static String wireOf(ConnectionPhase from, ConnectionEvent event) {
        return switch (event) {
            case CONNECT -> "SYN";
            case TAKE_OVER -> "responder: the last streaming message; initiator: MPA Request";
            case TCP_CONNECTED -> "MPA Request";
            case ESTABLISHED -> "responder: MPA Reply, sent before; initiator: RTR frame";
            case DISCONNECT -> from.settingUp() ? "RST" : from.survives() ? "" : "posted work, then FIN";
            case TRANSPORT_ENDED -> "RST, if the stream has not ended";
            case PEER_ENDED -> "posted work, then FIN";
            case FAULT_FOUND -> "Terminate, then FIN";
            case TERMINATE_ARRIVED, ENDED_EARLY -> "FIN";
            case SET_UP_FAILED, ACCEPT_FAILED -> "RST, or a Terminate if the Reply is unacceptable";
            case PEER_SILENT -> from.survives() ? "" : "RST";
            case ABORT -> from.over() ? "" : "RST";
            default -> "";
        };
    }

    /** The transitions as a Markdown table, one row per cell. */
    static String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("| phase | event | next | queue pair | connection | pending work | asynchronous event | wire |\n");
        out.append("|---|---|---|---|---|---|---|---|\n");
        for (ConnectionPhase from : ConnectionPhase.values()) {
            for (ConnectionEvent event : ConnectionEvent.values()) {
                if (ConnectionTable.TABLE.answer(from, event) instanceof Answer.Go<ConnectionPhase>(var to)) {
                    ConnectionEffects effects = of(from, event, to);
                    out.append(String.format(
                            "| %s | %s | %s | %s | %s | %s | %s | %s |%n",
                            from,
                            event,
                            to,
                            to.queuePair(),
                            to.connection(),
                            effects.work(),
                            effects.event(),
                            effects.wire()));
                }
            }
        }
        return out.toString();
    }

    /** The cells without a transition, one row per phase. */
    static String markdownOfTheRest() {
        StringBuilder out =
                new StringBuilder("| phase | changes nothing | refused | cannot happen |\n|---|---|---|---|\n");
        for (ConnectionPhase from : ConnectionPhase.values()) {
            StringBuilder ignored = new StringBuilder();
            StringBuilder refused = new StringBuilder();
            StringBuilder never = new StringBuilder();
            for (ConnectionEvent event : ConnectionEvent.values()) {
                switch (ConnectionTable.TABLE.answer(from, event)) {
                    case Answer.Go<ConnectionPhase>(var _) -> {}
                    case Answer.Ignore<ConnectionPhase>() ->
                        ignored.append(event).append(' ');
                    case Answer.Misuse<ConnectionPhase>(var _) ->
                        refused.append(event).append(' ');
                    case Answer.Never<ConnectionPhase>() -> never.append(event).append(' ');
                }
            }
            out.append(String.format(
                    "| %s | %s | %s | %s |%n",
                    from,
                    ignored.toString().strip(),
                    refused.toString().strip(),
                    never.toString().strip()));
        }
        return out.toString();
    }
}
