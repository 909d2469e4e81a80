package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;

/**
 * A flyweight for a completion queue element: words of an array, as in {@link Wqe}. The left part of a word is its low half.
 *
 * <pre>
 *    0 | wrId                                                     |
 *    1 | status 8 | opcode 8 | flags 16 | queue pair number    32 |
 *    2 | byteCount                                                |
 *    3 | immediate                                                |
 *    4 | invalidatedKey             32 | source queue pair     32 |
 *    5 | datagram details           32 | source LID            32 |
 *    6 | reserved                                                 |
 * </pre>
 */
public final class Cqe {

    /** Words of an element: one cache line. */
    static final int WORDS = 8;

    private static final int KIND = 1;
    private static final int OPCODE_SHIFT = 8;
    private static final int FLAGS_SHIFT = 16;
    private static final int HIGH = 32;
    private static final long BYTE = 0xff;

    private static final int IMMEDIATE = 1;
    private static final int INVALIDATED = 2;
    private static final int SOLICITED = 4;
    private static final int GLOBAL_HEADER = 8;
    private static final int IN_ELEMENT = 16;
    private static final int SOURCE = 32;

    private static final CompletionStatus[] STATUSES = CompletionStatus.values();
    private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();

    private long[] words = {};
    private int at;

    /** Points this flyweight at an element. */
    Cqe wrap(long[] newWords, int firstWord) {
        words = newWords;
        at = firstWord;
        return this;
    }

    /** Writes a whole element. The methods that follow add optional fields. */
    public Cqe fill(long wrId, CompletionStatus status, CompletionOpcode opcode, int queuePairNumber, long byteCount) {
        words[at] = wrId;
        words[at + KIND] = status.ordinal() | opcode.ordinal() << OPCODE_SHIFT | (long) queuePairNumber << HIGH;
        words[at + 2] = byteCount;
        return this;
    }

    /** Writes an element whose details are in a receive WQE until it is polled; see {@link EarlyArrivals}. */
    void refer(long element, int queuePairNumber) {
        fill(element, CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, queuePairNumber, 0);
        set(IN_ELEMENT);
    }

    /** Whether the details are in a receive WQE. */
    boolean refers() {
        return has(IN_ELEMENT);
    }

    /** Index of the receive WQE that contains the details. */
    long element() {
        return words[at];
    }

    /** Replaces the reference to a receive WQE by the details. */
    void resolve(long wrId, long byteCount, boolean solicited) {
        words[at] = wrId;
        words[at + 2] = byteCount;
        words[at + KIND] &= ~((long) IN_ELEMENT << FLAGS_SHIFT);
        if (solicited) {
            set(SOLICITED);
        }
    }

    private void set(int bit) {
        words[at + KIND] |= (long) bit << FLAGS_SHIFT;
    }

    private boolean has(int bit) {
        return (words[at + KIND] >>> FLAGS_SHIFT & bit) != 0;
    }

    public Cqe immediate(long value) {
        words[at + 3] = value;
        set(IMMEDIATE);
        return this;
    }

    public Cqe invalidatedKey(int key) {
        words[at + 4] = Wqe.pair(key, sourceQueuePairNumber());
        set(INVALIDATED);
        return this;
    }

    public Cqe solicitedEvent() {
        set(SOLICITED);
        return this;
    }

    /**
     * The sender of a datagram.
     *
     * @param details the receiver's context of a reliable datagram
     */
    public Cqe source(int queuePairNumber, int lid, int details, boolean globalHeader) {
        words[at + 4] = Wqe.pair((int) words[at + 4], queuePairNumber);
        words[at + 5] = Wqe.pair(details, lid);
        set(SOURCE);
        if (globalHeader) {
            set(GLOBAL_HEADER);
        }
        return this;
    }

    public long wrId() {
        return words[at];
    }

    public CompletionStatus status() {
        return STATUSES[(int) (words[at + KIND] & BYTE)];
    }

    public CompletionOpcode opcode() {
        return OPCODES[(int) (words[at + KIND] >>> OPCODE_SHIFT & BYTE)];
    }

    public int queuePairNumber() {
        return high(KIND);
    }

    private int high(int word) {
        return (int) (words[at + word] >>> HIGH);
    }

    public long byteCount() {
        return words[at + 2];
    }

    public boolean hasImmediate() {
        return has(IMMEDIATE);
    }

    public long immediate() {
        return hasImmediate() ? words[at + 3] : 0;
    }

    public boolean hasInvalidatedKey() {
        return has(INVALIDATED);
    }

    public int invalidatedKey() {
        return hasInvalidatedKey() ? (int) words[at + 4] : 0;
    }

    public boolean solicited() {
        return has(SOLICITED);
    }

    public int sourceQueuePairNumber() {
        return high(4);
    }

    public int datagramDetails() {
        return (int) words[at + 5];
    }

    public int sourceLid() {
        return high(5);
    }

    /** Whether the message came in a datagram, so that the fields of {@link #source} are valid. */
    public boolean hasSource() {
        return has(SOURCE);
    }

    public boolean hasGlobalHeader() {
        return has(GLOBAL_HEADER);
    }
}
