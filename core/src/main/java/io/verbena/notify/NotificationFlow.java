package io.verbena.notify;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;

/**
 * When a CQ notifies its consumer, as the table of its arm: an entry whose cell has a next state signals an event; an entry
 * whose cell ignores it leaves only the CQE. There are two tables, for the CQ's option
 * {@link io.verbena.verbs.CompletionQueueOptions#solicitedAlwaysSignals}.
 */
public final class NotificationFlow {

    /** What the consumer requested and has not been notified of yet. */
    public enum Arm {
        UNARMED,
        ARMED_SOLICITED,
        /** For entries of some types, solicited ones perhaps among them; which ones is kept beside it. */
        ARMED_TYPES,
        ARMED_NEXT
    }

    /** What happens to a CQ. */
    public enum Event {
        /** Request Completion Notification for any entry. */
        NEXT_REQUESTED,
        /** Request Completion Notification for a solicited entry. */
        SOLICITED_REQUESTED,
        /** Request Completion Notification for entries of some types. */
        TYPES_REQUESTED,
        /** An entry of no special kind. */
        PLAIN_ENTRY,
        /** An entry of a type that was requested. */
        WANTED_ENTRY,
        /** An entry whose sender solicited an event. */
        SOLICITED_ENTRY,
        /** An entry in error. */
        FAILED_ENTRY,
        /** An entry whose own work request asked for the event. */
        REQUESTED_ENTRY,
        /** An event that found no handler. */
        EVENT_TAKEN_BACK
    }

    /** What a handler's runs for one CQ go through; {@link CqDispatch} moves it. */
    public enum Run {
        IDLE,
        SCHEDULED,
        RUNNING,
        AGAIN
    }

    /** What happens to a handler's run. */
    public enum Step {
        EVENT,
        TAKEN_BACK,
        BEGINS,
        ENDS
    }

    /** A solicited entry signals a CQ that asked (the verbs' flow). */
    static final TransitionTable<Arm, Event> WHEN_ARMED = table(false);

    /** A solicited entry always signals (the option of the CQ). */
    static final TransitionTable<Arm, Event> ALWAYS = table(true);

    static final TransitionTable<Run, Step> RUNS = runs();

    private static final Arm[] ARMS = Arm.values();
    private static final Event[] EVENTS = Event.values();
    private static final int SILENT = -1;

    private final int[] cells;

    /** The table, flat, for asking once a queue pair's service. */
    public NotificationFlow(boolean solicitedAlwaysSignals) {
        TransitionTable<Arm, Event> table = solicitedAlwaysSignals ? ALWAYS : WHEN_ARMED;
        cells = new int[ARMS.length * EVENTS.length];
        for (Arm arm : ARMS) {
            for (Event event : EVENTS) {
                cells[arm.ordinal() * EVENTS.length + event.ordinal()] =
                        table.answer(arm, event) instanceof Answer.Go<Arm>(Arm next) ? next.ordinal() : SILENT;
            }
        }
    }

    /** Whether the event is ignored. */
    boolean silent(int arm, Event event) {
        return cells[arm * EVENTS.length + event.ordinal()] == SILENT;
    }

    /** The arm after an event that is not ignored. */
    int next(int arm, Event event) {
        return cells[arm * EVENTS.length + event.ordinal()];
    }

    private static TransitionTable<Arm, Event> table(boolean always) {
        Answer<Arm> none = new Answer.Ignore<>();
        Answer<Arm> unarmed = new Answer.Go<>(Arm.UNARMED);
        Answer<Arm> solicited = new Answer.Go<>(Arm.ARMED_SOLICITED);
        Answer<Arm> types = new Answer.Go<>(Arm.ARMED_TYPES);
        Answer<Arm> next = new Answer.Go<>(Arm.ARMED_NEXT);
        Answer<Arm> option = always ? unarmed : none;
        return TransitionTable.of(Arm.class, Event.class)
                // NEXT, SOLICITED, TYPES requested; PLAIN, WANTED, SOLICITED, FAILED, REQUESTED entry; EVENT_TAKEN_BACK
                .row(Arm.UNARMED, next, solicited, types, none, none, option, option, unarmed, next)
                .row(Arm.ARMED_SOLICITED, next, none, types, none, none, unarmed, unarmed, unarmed, next)
                .row(Arm.ARMED_TYPES, next, types, types, none, unarmed, option, unarmed, unarmed, next)
                .row(Arm.ARMED_NEXT, none, none, none, unarmed, unarmed, unarmed, unarmed, unarmed, none)
                .build();
    }

    private static TransitionTable<Run, Step> runs() {
        Answer<Run> none = new Answer.Ignore<>();
        Answer<Run> never = new Answer.Never<>();
        Answer<Run> idle = new Answer.Go<>(Run.IDLE);
        Answer<Run> scheduled = new Answer.Go<>(Run.SCHEDULED);
        Answer<Run> running = new Answer.Go<>(Run.RUNNING);
        Answer<Run> again = new Answer.Go<>(Run.AGAIN);
        return TransitionTable.of(Run.class, Step.class)
                // EVENT, TAKEN_BACK, BEGINS, ENDS
                .row(Run.IDLE, scheduled, never, never, never)
                .row(Run.SCHEDULED, none, idle, running, never)
                .row(Run.RUNNING, again, never, never, idle)
                .row(Run.AGAIN, none, never, never, scheduled)
                .build();
    }

    /** The tables as one Mermaid state diagram. */
    static String mermaid() {
        return "stateDiagram-v2\n    direction LR\n"
                + machine("An arm, solicited entries only when armed", "Armed", WHEN_ARMED)
                + machine("An arm, solicited entries always", "Always", ALWAYS)
                + machine("Runs of a handler for one CQ", "Run", RUNS);
    }

    private static String machine(String title, String prefix, TransitionTable<?, ?> table) {
        return "    state \"" + title + "\" as " + prefix + " {\n" + table.mermaid(prefix + "_") + "    }\n";
    }
}
