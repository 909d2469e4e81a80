package io.verbena.rnic.iwarp;

import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.AsyncEventType;

/**
 * What a cell of the {@link ConnectionTable} brings beside the next phase, in words.
 *
 * @param work what happens to pending work
 * @param event the asynchronous event that is told, or nothing
 * @param wire what goes out
 * @param memory whether the peer's requests, or late bytes, can still touch memory here
 */
public record ConnectionEffects(String work, String event, String wire, String memory) {

    /** Of a cell that leads somewhere. */
    public static ConnectionEffects of(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        return new ConnectionEffects(workOf(from, event, to), told(event, to), wireOf(from, event, to), memoryOf(to));
    }

    private static String workOf(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        return switch (to) {
            case DIALLING, STARTING, REJECTED, NOT_SET_UP -> "receives stay posted";
            case IDLE -> from == ConnectionPhase.IDLE || from.settingUp() ? "receives stay posted" : "none is left";
            case OPEN -> "begins";
            case CLOSING_HERE -> "goes on to its end; later posts too, until the FIN has left";
            case CLOSING_THERE -> "goes on; what leaves now completes when nothing contradicts it";
            case BOTH_ENDED -> "receives are flushed";
            case TERMINATING ->
                event == ConnectionEvent.TERMINATE_ARRIVED
                        ? "the work that the peer blames gets its status, all else is flushed"
                        : "the work to blame, if it is ours, or the oldest gets the status, all else is flushed";
            case BREAKING, FAILED ->
                event == ConnectionEvent.ABORT || from.over() || from.settingUp()
                        ? "all is flushed"
                        : from.flushes() ? "is flushed" : "the oldest send gets CONNECTION_LOST, all else is flushed";
            case CLOSED -> "none is left; what is posted now is flushed";
        };
    }

    private static String told(ConnectionEvent event, ConnectionPhase to) {
        if (to == ConnectionPhase.CLOSED) {
            return AsyncEventType.CLOSE_COMPLETE.name();
        }
        if (event == ConnectionEvent.FAULT_FOUND) {
            return "by the fault: QP_ACCESS_ERROR, QP_REQUEST_ERROR, INVALID_CRC, BAD_FRAME, MESSAGE_OUT_OF_ORDER, "
                    + "READ_QUEUE_OVERFLOW or QP_FATAL";
        }
        return event.told().map(Enum::name).orElse("");
    }

    private static String wireOf(ConnectionPhase from, ConnectionEvent event, ConnectionPhase to) {
        return switch (event) {
            case CONNECT -> "SYN";
            case TAKE_OVER -> "the last streaming message; an initiator's MPA Request";
            case TCP_STANDS -> "MPA Request";
            case ESTABLISHED -> "a responder's MPA Reply went before; an initiator's RTR frame";
            case DISCONNECT -> from.settingUp() ? "RST" : "what was posted, then FIN";
            case PEER_ENDED -> "what was posted, then FIN";
            case FAULT_FOUND -> "Terminate, then FIN";
            case TERMINATE_ARRIVED, ENDED_EARLY -> "FIN";
            case SET_UP_FAILED, ACCEPT_FAILED -> "RST, or a Terminate if the Reply is unacceptable";
            case PEER_SILENT -> "RST";
            case ABORT -> from.over() ? "" : "RST";
            default -> to == ConnectionPhase.REJECTED ? "" : "";
        };
    }

    private static String memoryOf(ConnectionPhase to) {
        return to.rdma() && !to.flushes() ? "reachable" : to == ConnectionPhase.BREAKING ? "let go" : "not touched";
    }

    /** The whole table as Markdown: a row a cell that leads somewhere, the others summed up. */
    static String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("| phase | event | next | queue pair | connection | pending work | told | wire |\n");
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

    /** Cells that lead nowhere: a line a phase. */
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
