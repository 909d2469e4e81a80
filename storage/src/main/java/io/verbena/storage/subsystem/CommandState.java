package io.verbena.storage.subsystem;

import io.verbena.base.TransitionTable;

/**
 * States of a {@link Command} in the target. Before them the capsule is in a receive; it waits there while no command is free. A host
 * sees the submission and the completion only (NVM Express base specification 1.3, section 7.2.1, command processing):
 * what lies between is the transport's and the controller's, as NVM Express over Fabrics 1.1 describes it for RDMA: the
 * controller alone reads and writes memory of the host, and its response follows the data.
 */
public enum CommandState {
    /** No capsule: the buffer can be used. */
    FREE,
    /** Its fields are checked, and what it needs next is decided, within one call of the engine. */
    CHECKING,
    /** The data are read from memory of the host. */
    FETCHING,
    /** It waits for something that is not its data: a Connect for the end of an older association, an Asynchronous Event Request for an event. */
    WAITING,
    /** The device executes it, possibly in another thread. */
    ON_DEVICE,
    /** The response, after the data of the command, is on its way to the host. */
    RESPONDING;

    /** What moves a command. */
    public enum Event {
        /** Its capsule was taken from the receive. */
        START,
        /** The data are in memory of the host, and not in the capsule. */
        FETCH,
        /** The data have arrived, or could not be read. */
        FETCHED,
        /** Nothing can be done now. */
        WAIT,
        /** Its checks have passed, and its data are there. */
        RUN,
        /** The device has a result. */
        RAN,
        /** The result is known: of the device, or of a check that failed. */
        RESPOND,
        /** The response has left, so that the receive and the buffer can be used again. */
        SENT,
        /** The connection has ended, or ends when the device has its result: there is no response. */
        END
    }

    static final TransitionTable<CommandState, Event> TABLE = TransitionTable.of(CommandState.class, Event.class)
            .go(FREE, Event.START, CHECKING)
            .go(CHECKING, Event.FETCH, FETCHING)
            .go(CHECKING, Event.WAIT, WAITING)
            .go(CHECKING, Event.RUN, ON_DEVICE)
            .go(CHECKING, Event.RESPOND, RESPONDING)
            .go(FETCHING, Event.FETCHED, CHECKING)
            .go(WAITING, Event.RESPOND, RESPONDING)
            // A shutdown flushes one device after the other with one command.
            .go(ON_DEVICE, Event.RAN, CHECKING)
            .go(RESPONDING, Event.SENT, FREE)
            .go(FETCHING, Event.END, FREE)
            .go(WAITING, Event.END, FREE)
            .go(ON_DEVICE, Event.END, FREE)
            .go(RESPONDING, Event.END, FREE)
            .otherwiseNever()
            .build();
}
