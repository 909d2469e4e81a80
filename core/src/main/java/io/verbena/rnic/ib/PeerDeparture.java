package io.verbena.rnic.ib;

import io.verbena.base.Times;
import io.verbena.verbs.AsyncEventType;

/**
 * The end of a connection by its peer. Work that is pending then has some time left, since an acknowledgement may have been overtaken
 * by the message that ends the connection; what is not acknowledged after that is flushed.
 */
final class PeerDeparture {

    /** What the departure means for a queue pair that sends. */
    enum End {
        /** All work is complete. */
        GRACEFUL(QueuePairEvent.PEER_LEFT, AsyncEventType.CLOSE_COMPLETE, "The peer closed the connection gracefully."),
        /** Work is flushed. */
        EARLY(
                QueuePairEvent.PEER_LEFT_EARLY,
                AsyncEventType.BAD_CLOSE,
                "The peer closed the connection while work was pending.");

        private final QueuePairEvent event;
        private final AsyncEventType type;
        private final String sentence;

        End(QueuePairEvent event, AsyncEventType type, String sentence) {
            this.event = event;
            this.type = type;
            this.sentence = sentence;
        }

        /** The end with or without pending work. */
        static End of(boolean allComplete) {
            return allComplete ? GRACEFUL : EARLY;
        }

        QueuePairEvent event() {
            return event;
        }

        AsyncEventType type() {
            return type;
        }

        String sentence() {
            return sentence;
        }
    }

    /** The round trip of a slow network. */
    private static final long LAST_ACKNOWLEDGEMENT_NS = 100_000_000;

    private long deadlineNs = Times.NEVER;

    /** The peer has left while work is pending. */
    void begin(long nowNs) {
        deadlineNs = Times.after(nowNs, LAST_ACKNOWLEDGEMENT_NS);
    }

    /** Whether pending work still has time. */
    boolean pending() {
        return deadlineNs != Times.NEVER;
    }

    /** When pending work is flushed; {@link Times#NEVER} if the peer has not left or nothing is pending. */
    long nextDeadlineNs() {
        return deadlineNs;
    }

    boolean due(long nowNs) {
        return Times.due(deadlineNs, nowNs);
    }

    /** The departure is complete, or the connection has ended otherwise. */
    void end() {
        deadlineNs = Times.NEVER;
    }
}
