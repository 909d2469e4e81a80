package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;

/**
 * The completions of Sends and of receives on one completion queue. They come in any order: the peer's next message can be
 * received before the acknowledgement of the last Send, which the network may lose or delay.
 */
final class MessageCompletions {

    /** Waits for the next completion and returns whether it is that of a receive. */
    @FunctionalInterface
    interface Source {
        boolean nextIsReceive() throws Failure;
    }

    private final Source source;
    private int sent;
    private int received;

    MessageCompletions(Source source) {
        this.source = source;
    }

    /** Waits until one more Send is complete. */
    void awaitSent() throws Failure {
        while (sent == 0) {
            count();
        }
        sent--;
    }

    /** Waits until one more message is received. */
    void awaitReceived() throws Failure {
        while (received == 0) {
            count();
        }
        received--;
    }

    private void count() throws Failure {
        if (source.nextIsReceive()) {
            received++;
        } else {
            sent++;
        }
    }
}
