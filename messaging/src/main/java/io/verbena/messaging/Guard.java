package io.verbena.messaging;

/** Admits one thread at a time to a communicator: a thread of the program, or the progress thread. */
interface Guard {

    /** Without a progress thread no guard is needed. */
    Guard NONE = new Guard() {
        @Override
        public void enter() {}

        @Override
        public void leave() {}

        @Override
        public void close() {}
    };

    /** A thread of the program enters; reentrant. */
    void enter();

    void leave();

    /** From now on only threads of the program enter. */
    void close();
}
