package io.verbena.queue;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import java.lang.foreign.MemorySegment;

/**
 * A completion queue element.
 *
 * <pre>
 *    0 | wrId                                                     |
 *    8 | status 8 | opcode 8 | flags 16 | queue pair number    32 |
 *   16 | byteCount                                                |
 *   24 | immediate                                                |
 *   32 | invalidatedKey             32 | source queue pair     32 |
 *   40 | datagram details           32 | source LID            32 |
 *   48 | reserved                                                 |
 * </pre>
 */
public final class Cqe {

    /** Bytes of an element: a cache line. */
    public static final int BYTES = 64;

    private static final int IMMEDIATE = 1;
    private static final int INVALIDATED = 2;
    private static final int SOLICITED = 4;
    private static final int GLOBAL_HEADER = 8;

    private static final CompletionStatus[] STATUSES = CompletionStatus.values();
    private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();

    private MemorySegment segment = MemorySegment.NULL;
    private long at;

    /** Looks at an element. */
    public Cqe wrap(MemorySegment newSegment, long offset) {
        segment = newSegment;
        at = offset;
        return this;
    }

    /** Writes a whole element; extras are added by the methods that follow. */
    public Cqe fill(long wrId, CompletionStatus status, CompletionOpcode opcode, int queuePairNumber, long byteCount) {
        segment.set(JAVA_LONG, at, wrId);
        segment.set(JAVA_BYTE, at + 8, (byte) status.ordinal());
        segment.set(JAVA_BYTE, at + 9, (byte) opcode.ordinal());
        segment.set(JAVA_SHORT, at + 10, (short) 0);
        segment.set(JAVA_INT, at + 12, queuePairNumber);
        segment.set(JAVA_LONG, at + 16, byteCount);
        return this;
    }

    private void raise(int bit) {
        segment.set(JAVA_SHORT, at + 10, (short) (segment.get(JAVA_SHORT, at + 10) | bit));
    }

    private boolean has(int bit) {
        return (segment.get(JAVA_SHORT, at + 10) & bit) != 0;
    }

    public Cqe immediate(long value) {
        segment.set(JAVA_LONG, at + 24, value);
        raise(IMMEDIATE);
        return this;
    }

    public Cqe invalidatedKey(int key) {
        segment.set(JAVA_INT, at + 32, key);
        raise(INVALIDATED);
        return this;
    }

    public Cqe solicitedEvent() {
        raise(SOLICITED);
        return this;
    }

    /** Where a datagram came from. */
    public Cqe source(int queuePairNumber, int lid, int details, boolean globalHeader) {
        segment.set(JAVA_INT, at + 36, queuePairNumber);
        segment.set(JAVA_INT, at + 40, details);
        segment.set(JAVA_INT, at + 44, lid);
        if (globalHeader) {
            raise(GLOBAL_HEADER);
        }
        return this;
    }

    public long wrId() {
        return segment.get(JAVA_LONG, at);
    }

    public CompletionStatus status() {
        return STATUSES[segment.get(JAVA_BYTE, at + 8)];
    }

    public CompletionOpcode opcode() {
        return OPCODES[segment.get(JAVA_BYTE, at + 9)];
    }

    public int queuePairNumber() {
        return segment.get(JAVA_INT, at + 12);
    }

    public long byteCount() {
        return segment.get(JAVA_LONG, at + 16);
    }

    public boolean hasImmediate() {
        return has(IMMEDIATE);
    }

    public long immediate() {
        return hasImmediate() ? segment.get(JAVA_LONG, at + 24) : 0;
    }

    public boolean hasInvalidatedKey() {
        return has(INVALIDATED);
    }

    public int invalidatedKey() {
        return hasInvalidatedKey() ? segment.get(JAVA_INT, at + 32) : 0;
    }

    public boolean solicited() {
        return has(SOLICITED);
    }

    public int sourceQueuePairNumber() {
        return segment.get(JAVA_INT, at + 36);
    }

    public int datagramDetails() {
        return segment.get(JAVA_INT, at + 40);
    }

    public int sourceLid() {
        return segment.get(JAVA_INT, at + 44);
    }

    public boolean hasGlobalHeader() {
        return has(GLOBAL_HEADER);
    }
}
