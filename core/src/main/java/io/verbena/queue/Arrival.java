package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;

/** What the completion of a receive reports about the message. The engine reuses the object for each message. */
public final class Arrival {

    /** No message: for flushed receives. Immutable. */
    static final Arrival NONE = new Arrival();

    CompletionOpcode opcode = CompletionOpcode.RECEIVE;
    long byteCount;
    boolean hasImmediate;
    long immediate;
    boolean hasInvalidatedKey;
    int invalidatedKey;
    boolean solicited;
    boolean hasSource;
    int sourceQueuePair;
    int sourceLid;
    int datagramDetails;
    boolean hasGlobalHeader;

    /** Begins with a message of this kind and length, without immediate data and without an invalidated key. */
    public Arrival of(CompletionOpcode newOpcode, long bytes, boolean solicitedEvent) {
        opcode = newOpcode;
        byteCount = bytes;
        solicited = solicitedEvent;
        hasImmediate = false;
        hasInvalidatedKey = false;
        hasSource = false;
        return this;
    }

    /** Where a datagram came from; see {@link Cqe#source}. */
    public Arrival source(int queuePairNumber, int lid, int details, boolean globalHeader) {
        hasSource = true;
        sourceQueuePair = queuePairNumber;
        sourceLid = lid;
        datagramDetails = details;
        hasGlobalHeader = globalHeader;
        return this;
    }

    public Arrival immediate(long value) {
        hasImmediate = true;
        immediate = value;
        return this;
    }

    public Arrival invalidatedKey(int key) {
        hasInvalidatedKey = true;
        invalidatedKey = key;
        return this;
    }
}
