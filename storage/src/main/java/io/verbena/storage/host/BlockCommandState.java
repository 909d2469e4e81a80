package io.verbena.storage.host;

import io.verbena.base.TransitionTable;

/**
 * States of a {@link BlockCommand} in the host: what lies between the submission and the completion is the target's,
 * see {@code CommandState} there. A command is sent again after a status without Do Not Retry (NVM Express base
 * specification 1.4, section 4.6.1, status field), and after the loss of an association that has not answered it.
 */
public enum BlockCommandState {
    /** No request has it. */
    FREE,
    /** It has a part of a request, and its capsule is written, within one call of the engine. */
    CHOSEN,
    /** Its capsule was sent: the target may execute it. */
    IN_FLIGHT,
    /** It has failed, and is sent again, after the delay that the target has named. */
    DELAYED,
    /** Its association has ended without an answer: it is sent again over the next one. */
    UNANSWERED;

    /** What moves a command. */
    public enum Event {
        /** A request has a part that no command has. */
        ISSUE,
        /** It is sent once more: its delay is over, or there is another association. */
        REPEAT,
        /** Its capsule is sent. */
        SEND,
        /** The target has answered, and the command is not repeated. */
        ANSWERED,
        /** The target has answered with a status that lets it be repeated. */
        RETRY,
        /** The connection of its queue has ended: nothing touches its memory any more. */
        LOST,
        /** It is not repeated: the namespace has gone, the host was closed, or has given up. */
        GIVE_UP
    }

    static final TransitionTable<BlockCommandState, Event> TABLE = TransitionTable.of(
                    BlockCommandState.class, Event.class)
            .go(FREE, Event.ISSUE, CHOSEN)
            .go(CHOSEN, Event.SEND, IN_FLIGHT)
            .go(IN_FLIGHT, Event.ANSWERED, FREE)
            .go(IN_FLIGHT, Event.RETRY, DELAYED)
            .go(IN_FLIGHT, Event.LOST, UNANSWERED)
            .go(DELAYED, Event.REPEAT, CHOSEN)
            .go(DELAYED, Event.GIVE_UP, FREE)
            .go(UNANSWERED, Event.REPEAT, CHOSEN)
            .go(UNANSWERED, Event.GIVE_UP, FREE)
            .otherwiseNever()
            .build();

    /** The lines of the diagram in docs/storage.md. */
    static String mermaid() {
        return TABLE.mermaid("");
    }
}
