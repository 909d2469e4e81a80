package io.verbena.messaging.protocol;

import static io.verbena.messaging.protocol.SenderState.HEAD_SEEN;
import static io.verbena.messaging.protocol.SenderState.REQUESTED;
import static io.verbena.messaging.protocol.SenderState.SETTLED;

/** The state machines of the sender and the receiver in buffer enlargement as two tables, and their diagram for the documentation. */
final class EnlargementTables {

    /** A connection is the request for the first phase, so a sender starts in REQUESTED. */
    static final StateTable<SenderState, SenderEvent> SENDER = StateTable.of(SenderState.class, SenderEvent.class)
            .move(SETTLED, SenderEvent.CONTROL_MESSAGE_SENT, REQUESTED)
            .move(REQUESTED, SenderEvent.HEAD_CHANGED, HEAD_SEEN)
            .move(HEAD_SEEN, SenderEvent.ACKNOWLEDGED, SenderState.PROVISIONING)
            .move(HEAD_SEEN, SenderEvent.ACKNOWLEDGEMENT_BAD, REQUESTED)
            .move(SenderState.PROVISIONING, SenderEvent.PROVISIONED, SETTLED)
            .ignore(SenderState.ENDED, SenderEvent.values())
            .everywhere(SenderEvent.ENDED, SenderState.ENDED)
            .build();

    /** A receiver starts by provisioning the first phase. */
    static final StateTable<ReceiverState, ReceiverEvent> RECEIVER = StateTable.of(
                    ReceiverState.class, ReceiverEvent.class)
            .move(ReceiverState.PROVISIONING, ReceiverEvent.PROVISIONED, ReceiverState.ACKNOWLEDGING)
            .move(ReceiverState.ACKNOWLEDGING, ReceiverEvent.ACKNOWLEDGED, ReceiverState.RECEIVING)
            .ignore(ReceiverState.ACKNOWLEDGING, ReceiverEvent.REPETITION_REQUESTED)
            .move(ReceiverState.RECEIVING, ReceiverEvent.CONTROL_MESSAGE, ReceiverState.PROVISIONING)
            .move(ReceiverState.RECEIVING, ReceiverEvent.REPETITION_REQUESTED, ReceiverState.ACKNOWLEDGING)
            .ignore(ReceiverState.ENDED, ReceiverEvent.values())
            .everywhere(ReceiverEvent.ENDED, ReceiverState.ENDED)
            .build();

    private EnlargementTables() {}

    /** Content of docs/generated/buffer-enlargement.mmd. */
    static String mermaid() {
        return "%% Generated from EnlargementTables; do not edit.\n"
                + "stateDiagram-v2\n"
                + "    state \"Sender\" as Sender {\n"
                + SENDER.mermaid("S_")
                + "    }\n"
                + "    state \"Receiver\" as Receiver {\n"
                + RECEIVER.mermaid("R_")
                + "    }\n";
    }
}
