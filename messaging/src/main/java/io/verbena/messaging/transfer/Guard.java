package io.verbena.messaging.transfer;

import java.util.function.Supplier;

/** Admits one thread at a time to a communicator: a thread of the program, or the progress thread. */
public interface Guard {

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

    /** Runs an action inside. */
    default void run(Runnable action) {
        enter();
        try {
            action.run();
        } finally {
            leave();
        }
    }

    /** Returns the result of an action inside. */
    default <T> T get(Supplier<T> action) {
        enter();
        try {
            return action.get();
        } finally {
            leave();
        }
    }

    /** From now on only threads of the program enter. */
    void close();
}
