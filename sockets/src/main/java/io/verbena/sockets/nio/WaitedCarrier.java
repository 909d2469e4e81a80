package io.verbena.sockets.nio;

import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/** A carrier that does not block, and for which a thread can wait. */
sealed interface WaitedCarrier extends Carrier permits RingCarrier, StreamCarrier {

    /**
     * Waits until one of these bits of {@link io.verbena.sockets.stream.StreamSocket} is ready. At most one thread waits to read and one to
     * write.
     *
     * @return false if the timeout expired or the thread was interrupted
     */
    boolean awaitReady(int bits, long timeoutNs) throws IOException;

    /**
     * A write that waits has given this many bytes to the carrier, or 0: it has returned. Rings keep what they have taken, so that a killed process loses
     * nothing.
     */
    default void incomplete(long bytes) {}

    /** As {@link io.verbena.sockets.stream.StreamSocket#readTo}. */
    int readTo(WritableByteChannel target) throws IOException;

    /** As {@link io.verbena.sockets.stream.StreamSocket#writeFrom}. */
    int writeFrom(ByteSource source, int most) throws IOException;

    /** Bytes that can be read at once. */
    int available();

    /** Sets the action to run when something may have become ready. */
    void onReady(Runnable action);
}
