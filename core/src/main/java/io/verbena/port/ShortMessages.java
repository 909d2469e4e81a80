package io.verbena.port;

import java.nio.ByteBuffer;

/**
 * Short messages that a stream carries whole, beside its bytes and in one order with them. A message stands for bytes
 * of the stream in a form that sender and receiver agree upon. Used in the thread that owns the engine.
 */
public interface ShortMessages {

    /** The most bytes of a message: with the header of its record it is one cache line. */
    int MOST_BYTES = 56;

    /** Takes messages where the stream is polled. */
    @FunctionalInterface
    interface Taker {

        /**
         * A message may have arrived, and no byte precedes it. Messages that are not taken are left to the turn that
         * follows.
         *
         * @return how many were taken
         */
        int takeMessages();
    }

    /** This side takes messages from now on, and tells the peer that it may send them. */
    void begin(Taker taker);

    /** Whether the peer takes messages. */
    boolean wanted();

    /**
     * Writes a message.
     *
     * @param message its bytes from index 0 on
     * @param bytes their number, 1 to {@link #MOST_BYTES}
     * @return false if nothing was written: there is no space now, or the stream has failed, which the next write
     *     reports
     */
    boolean write(ByteBuffer message, int bytes);

    /** Whether a message is next in the stream. */
    boolean hasNext();

    /**
     * Copies the message that is next in the stream to a buffer, from index 0 on. It remains the next one until {@link
     * #taken}.
     *
     * @return its length; 0 if there is none, or bytes precede it
     */
    int next(ByteBuffer target);

    /** The message of {@link #next} has been processed. */
    void taken();

    /** Ends a run of messages that were {@link #taken}: the peer may use their space. */
    void endRun();
}
