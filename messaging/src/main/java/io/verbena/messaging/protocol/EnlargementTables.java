package io.verbena.messaging.protocol;

import static io.verbena.messaging.protocol.SenderState.HEAD_SEEN;
import static io.verbena.messaging.protocol.SenderState.REQUESTED;
import static io.verbena.messaging.protocol.SenderState.SETTLED;

import io.verbena.base.TransitionTable;

/** The state machines of the sender and the receiver in buffer enlargement as two tables, and their diagram for the documentation. */
final class EnlargementTables {

    /** A connection is the request for the first phase, so a sender starts in REQUESTED. */
    static final TransitionTable<SenderState, SenderEvent> SENDER = TransitionTable.of(
                    SenderState.class, SenderEvent.class)
            .go(SETTLED, SenderEvent.CONTROL_MESSAGE_SENT, REQUESTED)
            .go(REQUESTED, SenderEvent.HEAD_CHANGED, HEAD_SEEN)
            .go(HEAD_SEEN, SenderEvent.ACKNOWLEDGED, SenderState.PROVISIONING)
            .go(HEAD_SEEN, SenderEvent.ACKNOWLEDGEMENT_BAD, REQUESTED)
            .go(SenderState.PROVISIONING, SenderEvent.PROVISIONED, SETTLED)
            .ignore(SenderState.ENDED, SenderEvent.values())
            .fromElsewhere(SenderEvent.ENDED, SenderState.ENDED)
            .otherwiseNever()
            .build();

    /** A receiver starts by provisioning the first phase. */
    static final TransitionTable<ReceiverState, ReceiverEvent> RECEIVER = TransitionTable.of(
                    ReceiverState.class, ReceiverEvent.class)
            .go(ReceiverState.PROVISIONING, ReceiverEvent.PROVISIONED, ReceiverState.ACKNOWLEDGING)
            .go(ReceiverState.ACKNOWLEDGING, ReceiverEvent.ACKNOWLEDGED, ReceiverState.RECEIVING)
            .ignore(ReceiverState.ACKNOWLEDGING, ReceiverEvent.REPETITION_REQUESTED)
            .go(ReceiverState.RECEIVING, ReceiverEvent.CONTROL_MESSAGE, ReceiverState.PROVISIONING)
            .go(ReceiverState.RECEIVING, ReceiverEvent.REPETITION_REQUESTED, ReceiverState.ACKNOWLEDGING)
            .ignore(ReceiverState.ENDED, ReceiverEvent.values())
            .fromElsewhere(ReceiverEvent.ENDED, ReceiverState.ENDED)
            .otherwiseNever()
            .build();

    private EnlargementTables() {}

    /** Content of docs/generated/buffer-enlargement.mmd. */
    static String mermaid() {
        return "%% Generated from EnlargementTables; do not edit.\n"
                + "stateDiagram-v2\n"
                + SENDER.mermaid("Sender", "Sender", "S_")
                + RECEIVER.mermaid("Receiver", "Receiver", "R_");
    }
}
