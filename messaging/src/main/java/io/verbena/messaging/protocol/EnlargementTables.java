package io.verbena.messaging.protocol;

import static io.verbena.messaging.protocol.SenderState.HEAD_SEEN;
import static io.verbena.messaging.protocol.SenderState.REQUESTED;
import static io.verbena.messaging.protocol.SenderState.SETTLED;

/** The seed's Figs. 3, 4 and 6 as two tables, and their diagram for the docs. */
final class EnlargementTables {

    /** Opening a connection is the request for the first phase, so a sender begins in REQUESTED. */
    static final TransitionTable<SenderState, SenderEvent> SENDER = TransitionTable.of(
                    SenderState.class, SenderEvent.class)
            .move(SETTLED, SenderEvent.CONTROL_MESSAGE_SENT, REQUESTED)
            .move(REQUESTED, SenderEvent.HEAD_CHANGED, HEAD_SEEN)
            .move(HEAD_SEEN, SenderEvent.ACKNOWLEDGED, SenderState.PROVISIONING)
            .move(HEAD_SEEN, SenderEvent.ACKNOWLEDGEMENT_BAD, REQUESTED)
            .move(SenderState.PROVISIONING, SenderEvent.PROVISIONED, SETTLED)
            .ignore(SenderState.ENDED, SenderEvent.values())
            .everywhere(SenderEvent.ENDED, SenderState.ENDED)
            .build();

    /** A receiver begins by provisioning the first phase. */
    static final TransitionTable<ReceiverState, ReceiverEvent> RECEIVER = TransitionTable.of(
                    ReceiverState.class, ReceiverEvent.class)
            .move(ReceiverState.PROVISIONING, ReceiverEvent.PROVISIONED, ReceiverState.ACKNOWLEDGING)
            .move(ReceiverState.ACKNOWLEDGING, ReceiverEvent.ACKNOWLEDGED, ReceiverState.RECEIVING)
            .ignore(ReceiverState.ACKNOWLEDGING, ReceiverEvent.REPETITION_WANTED)
            .move(ReceiverState.RECEIVING, ReceiverEvent.CONTROL_MESSAGE, ReceiverState.PROVISIONING)
            .move(ReceiverState.RECEIVING, ReceiverEvent.REPETITION_WANTED, ReceiverState.ACKNOWLEDGING)
            .ignore(ReceiverState.ENDED, ReceiverEvent.values())
            .everywhere(ReceiverEvent.ENDED, ReceiverState.ENDED)
            .build();

    private EnlargementTables() {}

    /** The text of docs/generated/buffer-enlargement.mmd. */
    static String mermaid() {
        return "%% Generated from EnlargementTables; do not edit.\n"
                + "stateDiagram-v2\n"
                + "    state \"Sender (Fig. 3)\" as Sender {\n"
                + SENDER.mermaid("S_")
                + "    }\n"
                + "    state \"Receiver (Fig. 6)\" as Receiver {\n"
                + RECEIVER.mermaid("R_")
                + "    }\n";
    }
}
