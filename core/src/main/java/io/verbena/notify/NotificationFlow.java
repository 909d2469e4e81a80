package io.verbena.notify;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Builder;

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

    private final TransitionTable<Arm, Event> table;

    public NotificationFlow(boolean solicitedAlwaysSignals) {
        table = solicitedAlwaysSignals ? ALWAYS : WHEN_ARMED;
    }

    /** Whether the event is ignored. */
    boolean silent(int arm, Event event) {
        return !table.moves(ARMS[arm], event);
    }

    /** The arm after an event that is not ignored. */
    int next(int arm, Event event) {
        return table.next(ARMS[arm], event).ordinal();
    }

    private static TransitionTable<Arm, Event> table(boolean always) {
        Builder<Arm, Event> table = TransitionTable.of(Arm.class, Event.class);
        // A request raises the arm, never lowers it: solicited, types, next.
        table.go(Arm.UNARMED, Event.SOLICITED_REQUESTED, Arm.ARMED_SOLICITED)
                .ignore(Arm.ARMED_SOLICITED, Event.SOLICITED_REQUESTED)
                .go(Arm.ARMED_TYPES, Event.SOLICITED_REQUESTED, Arm.ARMED_TYPES)
                .ignore(Arm.ARMED_NEXT, Event.NEXT_REQUESTED, Event.SOLICITED_REQUESTED, Event.TYPES_REQUESTED)
                .fromElsewhere(Event.NEXT_REQUESTED, Arm.ARMED_NEXT)
                .fromElsewhere(Event.TYPES_REQUESTED, Arm.ARMED_TYPES);
        // An entry that was requested signals once.
        table.ignore(Arm.UNARMED, Event.PLAIN_ENTRY, Event.WANTED_ENTRY)
                .ignore(Arm.ARMED_SOLICITED, Event.PLAIN_ENTRY, Event.WANTED_ENTRY)
                .ignore(Arm.ARMED_TYPES, Event.PLAIN_ENTRY);
        if (!always) {
            table.ignore(Arm.UNARMED, Event.SOLICITED_ENTRY, Event.FAILED_ENTRY)
                    .ignore(Arm.ARMED_TYPES, Event.SOLICITED_ENTRY);
        }
        table.fromElsewhere(Event.PLAIN_ENTRY, Arm.UNARMED)
                .fromElsewhere(Event.WANTED_ENTRY, Arm.UNARMED)
                .fromElsewhere(Event.SOLICITED_ENTRY, Arm.UNARMED)
                .fromElsewhere(Event.FAILED_ENTRY, Arm.UNARMED)
                .fromElsewhere(Event.REQUESTED_ENTRY, Arm.UNARMED);
        // Without a handler the next entry signals another one.
        return table.ignore(Arm.ARMED_NEXT, Event.EVENT_TAKEN_BACK)
                .fromElsewhere(Event.EVENT_TAKEN_BACK, Arm.ARMED_NEXT)
                .build();
    }

    private static TransitionTable<Run, Step> runs() {
        return TransitionTable.of(Run.class, Step.class)
                .go(Run.IDLE, Step.EVENT, Run.SCHEDULED)
                .ignore(Run.SCHEDULED, Step.EVENT)
                .go(Run.SCHEDULED, Step.TAKEN_BACK, Run.IDLE)
                .go(Run.SCHEDULED, Step.BEGINS, Run.RUNNING)
                .go(Run.RUNNING, Step.EVENT, Run.AGAIN)
                .go(Run.RUNNING, Step.ENDS, Run.IDLE)
                .ignore(Run.AGAIN, Step.EVENT)
                .go(Run.AGAIN, Step.ENDS, Run.SCHEDULED)
                .otherwiseNever()
                .build();
    }

    /** The tables as one Mermaid state diagram. */
    static String mermaid() {
        return "stateDiagram-v2\n    direction LR\n"
                + WHEN_ARMED.mermaid("An arm, solicited entries only when armed", "Armed", "Armed_")
                + ALWAYS.mermaid("An arm, solicited entries always", "Always", "Always_")
                + RUNS.mermaid("Runs of a handler for one CQ", "Run", "Run_");
    }
}
