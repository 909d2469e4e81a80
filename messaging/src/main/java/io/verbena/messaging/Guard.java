package io.verbena.messaging;

/** Lets one thread at a time into a communicator: the program's, or the one that makes progress meanwhile. */
interface Guard {

    /** Without a progress thread there is nobody to keep out. */
    Guard NONE = new Guard() {
        @Override
        public void enter() {}

        @Override
        public void leave() {}

        @Override
        public void close() {}
    };

    /** The program's thread comes in; the same thread may do so again inside. */
    void enter();

    void leave();

    /** From now on only the program's thread comes in. */
    void close();
}
