package io.verbena.messaging;

/** Contexts of messages. Messages of different contexts never match each other. */
final class Contexts {

    /** Messages of the program. */
    static final int MESSAGES = 0;

    /** Messages of collective operations in which a rank depends on its path to the root. */
    static final int COLLECTIVES = 1;

    /** Messages of barriers, in which a rank depends on all ranks. */
    static final int BARRIERS = 2;

    private Contexts() {}
}
