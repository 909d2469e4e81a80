package io.verbena.survival;

import static io.verbena.survival.AssociationEvent.ATTEMPT_BEGAN;
import static io.verbena.survival.AssociationEvent.ATTEMPT_FAILED;
import static io.verbena.survival.AssociationEvent.CLOSE;
import static io.verbena.survival.AssociationEvent.FENCED;
import static io.verbena.survival.AssociationEvent.GIVEN_UP;
import static io.verbena.survival.AssociationEvent.RESUMED_ARRIVED;
import static io.verbena.survival.AssociationEvent.RESUME_ARRIVED;
import static io.verbena.survival.AssociationEvent.TRANSPORT_ENDED;
import static io.verbena.survival.AssociationState.CARRIED;
import static io.verbena.survival.AssociationState.CLOSED;
import static io.verbena.survival.AssociationState.FENCING;
import static io.verbena.survival.AssociationState.FENCING_TO_ANSWER;
import static io.verbena.survival.AssociationState.LOST;
import static io.verbena.survival.AssociationState.PAUSED;
import static io.verbena.survival.AssociationState.RESUMING;

import io.verbena.base.TransitionTable;

/** The life cycle of an association as one table; docs/survival.md shows it. */
public final class AssociationTable {

    private static final String NOT_FENCED = "only an association that waits for its fence can be fenced";

    /** All cells. */
    public static final TransitionTable<AssociationState, AssociationEvent> TABLE = TransitionTable.of(
                    AssociationState.class, AssociationEvent.class)
            .go(CARRIED, TRANSPORT_ENDED, FENCING)
            .go(CARRIED, RESUME_ARRIVED, FENCING_TO_ANSWER)
            .go(FENCING, RESUME_ARRIVED, FENCING_TO_ANSWER)
            .go(FENCING, FENCED, PAUSED)
            .go(FENCING_TO_ANSWER, RESUME_ARRIVED, FENCING_TO_ANSWER)
            .go(FENCING_TO_ANSWER, FENCED, CARRIED)
            .go(PAUSED, ATTEMPT_BEGAN, RESUMING)
            // The queue pair is fenced already: the answer does not wait.
            .go(PAUSED, RESUME_ARRIVED, CARRIED)
            .go(RESUMING, RESUME_ARRIVED, CARRIED)
            .go(RESUMING, RESUMED_ARRIVED, CARRIED)
            .go(RESUMING, ATTEMPT_FAILED, PAUSED)
            .ignore(FENCING, TRANSPORT_ENDED)
            .ignore(FENCING_TO_ANSWER, TRANSPORT_ENDED)
            .ignore(PAUSED, TRANSPORT_ENDED)
            .ignore(RESUMING, TRANSPORT_ENDED)
            // A fence that was under way when the association ended.
            .ignore(LOST, FENCED, TRANSPORT_ENDED, RESUME_ARRIVED, GIVEN_UP)
            .ignore(CLOSED, FENCED, TRANSPORT_ENDED, RESUME_ARRIVED, GIVEN_UP, CLOSE)
            .misuse(NOT_FENCED, CARRIED, FENCED)
            .misuse(NOT_FENCED, PAUSED, FENCED)
            .misuse(NOT_FENCED, RESUMING, FENCED)
            .fromElsewhere(CLOSE, CLOSED)
            .fromElsewhere(GIVEN_UP, LOST)
            .otherwiseNever()
            .build();

    private AssociationTable() {}
}
