package io.verbena.storage.host;

/**
 * What a {@link StorageHost} wants done. The calls of one queue are in order. The caller of the engine executes them, and reports the end of
 * {@link #connect} and {@link #close}.
 */
public interface HostOutput {
    /**
     * Connects a queue, with {@link SubmissionQueue#entries()} receives; then call {@link StorageHost#onConnected}, or {@link
     * StorageHost#onLost}.
     */
    void connect(SubmissionQueue queue);

    /** Sends the capsule {@code slot} of a queue, without data or with a key of {@link HostMemory#page()}. */
    void sendAdmin(SubmissionQueue queue, int slot, PageUse use);

    /** Sends the capsule {@code slot} of a queue, after the data pointer was written. */
    void send(SubmissionQueue queue, int slot, BlockCommand command);

    /** Ends the connection of a queue; when no transfer touches memory any more, call {@link StorageHost#onClosed}. */
    void close(SubmissionQueue queue);

    /** The state or the namespaces have changed. */
    void changed();
}
