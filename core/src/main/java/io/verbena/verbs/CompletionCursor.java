package io.verbena.verbs;

/**
 * Shows completions one after the other, without an object for each. Values hold until the next {@link #next()}.
 *
 * <pre>{@code
 * while (cursor.next()) {
 *     if (!cursor.ok()) throw new IOException(cursor.reason());
 *     done(cursor.wrId());
 * }
 * }</pre>
 */
public interface CompletionCursor {

    /** Takes the next completion out of the CQ; false when there is none. */
    boolean next();

    /** The number given when the work was posted. */
    long wrId();

    CompletionStatus status();

    /** Whether the status is {@link CompletionStatus#SUCCESS}. */
    default boolean ok() {
        return status() == CompletionStatus.SUCCESS;
    }

    /** What completed; for a receive, {@link CompletionOpcode#RECEIVE} or one with immediate data. */
    CompletionOpcode opcode();

    /** Number of the queue pair whose work this was. */
    int queuePairNumber();

    /** The queue pair whose work this was. */
    QueuePair queuePair();

    /** Bytes received or read. */
    long byteCount();

    boolean hasImmediate();

    /** Immediate data: 64 bits on iWARP, the low 32 on InfiniBand. */
    long immediate();

    /** Whether the message invalidated one of our keys. */
    boolean hasInvalidatedKey();

    int invalidatedKey();

    /** Whether the message asked for an event. */
    boolean solicited();

    /** Datagram services: the sender's queue pair number. */
    int sourceQueuePairNumber();

    /** Datagram services: the sender's LID. */
    int sourceLid();

    /** Datagram services: whether the buffer starts with a global routing header of 40 bytes. */
    boolean hasGlobalHeader();

    /** Datagram services: partition of the message. */
    int pkeyIndex();

    /** Datagram services: service level of the message. */
    int serviceLevel();

    /** Datagram services: which of our LIDs the message was for. */
    int pathBits();

    /** One sentence on the status that a person understands. */
    String reason();
}
