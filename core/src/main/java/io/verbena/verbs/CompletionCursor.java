package io.verbena.verbs;

/**
 * Reads the completions of a CQ one after the other, without allocating an object for each. Values are valid until the
 * next call of {@link #next()}. One thread at a time may use the cursors of a CQ.
 *
 * <pre>{@code
 * while (cursor.next()) {
 *     if (!cursor.ok()) throw new IOException(cursor.reason());
 *     done(cursor.wrId());
 * }
 * }</pre>
 */
public interface CompletionCursor {

    /** Removes the next completion from the CQ and moves to it. Returns false if the CQ is empty. */
    boolean next();

    /** The number that the application gave the work request. */
    long wrId();

    /** How the work ended. */
    CompletionStatus status();

    /** Whether the status is {@link CompletionStatus#SUCCESS}. */
    default boolean ok() {
        return status() == CompletionStatus.SUCCESS;
    }

    /** The operation that completed; for a receive, {@link CompletionOpcode#RECEIVE} or a value with immediate data. */
    CompletionOpcode opcode();

    /** Number of the queue pair that executed the work. */
    int queuePairNumber();

    /** The queue pair that executed the work. */
    QueuePair queuePair();

    /** Number of bytes received or read. */
    long byteCount();

    /** Whether the message carried immediate data. */
    boolean hasImmediate();

    /** Immediate data: 64 bits on iWARP, the low 32 on InfiniBand. */
    long immediate();

    /** Whether the message invalidated a key of this side. */
    boolean hasInvalidatedKey();

    /** The invalidated key, if {@link #hasInvalidatedKey()}. */
    int invalidatedKey();

    /** Whether the message was solicited: the sender requested an event. */
    boolean solicited();

    /** Datagram services: queue pair number of the sender. */
    int sourceQueuePairNumber();

    /** Reliable datagrams: number of the end-to-end context that delivered the message, {@link EndToEndContext#number}. */
    default int sourceContextNumber() {
        return 0;
    }

    /** Datagram services: LID of the sender. */
    int sourceLid();

    /** Datagram services: whether the buffer begins with a global routing header of 40 bytes. */
    boolean hasGlobalHeader();

    /** Datagram services: index of the partition key of the message. */
    int pkeyIndex();

    /** Datagram services: service level of the message. */
    int serviceLevel();

    /** Datagram services: low bits of the destination LID of the message. */
    int pathBits();

    /** An explanation of the status in one sentence, for people. */
    String reason();
}
