package io.verbena.bench.waits;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** A loop in which a program waits for the next message. */
enum WaitLoop {
    AWAIT_DRAIN("await, drain", false) {
        @Override
        void next(WaitSide side) {
            if (side.received.await(LIMIT)) {
                side.drain(side.receiving);
            }
        }
    },
    AWAIT_DRAIN_TWO("await, drain two", true) {
        @Override
        void next(WaitSide side) {
            if (side.received.await(LIMIT)) {
                side.drain(side.receiving);
                side.drain(side.sending);
            }
        }
    },
    POLL("poll", false) {
        @Override
        void next(WaitSide side) {
            side.drain(side.receiving);
        }
    },
    POLL_TWO("poll two", true) {
        @Override
        void next(WaitSide side) {
            side.drain(side.sending);
            side.drain(side.receiving);
        }
    },
    TAKE("take", false) {
        @Override
        void next(WaitSide side) throws TimeoutException {
            side.onMessage(side.received.take(LIMIT));
        }
    },
    PROGRESS("progress, drain", false) {
        @Override
        void next(WaitSide side) {
            side.rnic.progress(LIMIT);
            side.drain(side.receiving);
        }
    },
    HANDLER("handler", false) {
        @Override
        void next(WaitSide side) {
            side.rnic.progress(LIMIT);
        }
    };

    private static final Duration LIMIT = Duration.ofSeconds(1);

    final String title;

    /** Whether the sends have completions, which the loop takes. */
    final boolean takesSends;

    WaitLoop(String title, boolean takesSends) {
        this.title = title;
        this.takesSends = takesSends;
    }

    /** Waits for messages and counts them. It may return without one. */
    abstract void next(WaitSide side) throws TimeoutException;
}
