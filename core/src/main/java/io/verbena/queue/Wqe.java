package io.verbena.queue;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;

/**
 * A flyweight for a work queue element: one slot of a queue, or a template, which is posted by copying it.
 *
 * <pre>
 *    0 | wrId                                                            |
 *    1 | opcode  8 | flags   8 | elements  16 | length                32 |
 *    2 | remoteAddress (bind: offset in the region)                      |
 *    3 | rkey (or key to invalidate)      32 | otherKey (address handle) 32 |
 *    4 | operand1: immediate, expected, addend, delay, bind length       |
 *    5 | operand2: desired                                               |
 *    6 | progress, set by the engine      32 | failure, set by the engine 32 |
 *    7 | datagrams: destination's number  32 | its Q_Key               32 |
 *    8 | elements of two words: localKey 32 | length 32 | offset 64   or inline bytes |
 * </pre>
 *
 * The left part of a word is its low half. {@code otherKey} is a local key (bind, Read with invalidate) or, in datagrams, the number
 * of the address handle; {@code destination} is the number of a queue pair. The words are in an array and not in a memory segment: an element is read and
 * written about twenty times, and each access costs one compare in an array and a dozen instructions in a segment (posting,
 * completing and polling took 150 ns with segments and takes a fifth of that with an array).
 */
public final class Wqe {

    /** Bytes before the gather or scatter list. */
    public static final int HEADER_BYTES = 64;

    /** Bytes per element of the list. */
    public static final int ELEMENT_BYTES = 16;

    private static final int SIGNALLED = 1;
    private static final int FENCED = 2;
    private static final int SOLICITED = 4;
    private static final int INLINE = 8;
    private static final int NOTIFIES = 16;

    private static final WorkOpcode[] OPCODES = WorkOpcode.values();

    /** The operations that the peer answers, a bit for each ordinal. */
    private static final int AWAIT_RESPONSE = 1 << WorkOpcode.READ.ordinal()
            | 1 << WorkOpcode.READ_WITH_INVALIDATE.ordinal()
            | 1 << WorkOpcode.COMPARE_AND_SWAP.ordinal()
            | 1 << WorkOpcode.FETCH_AND_ADD.ordinal();

    private static final CompletionStatus[] STATUSES = CompletionStatus.values();

    /** Value of the failure field of an element that has not failed; otherwise it is the status's ordinal plus one. */
    private static final int NOT_FAILED = 0;

    // Words that have parts.
    private static final int KIND = 1;
    private static final int KEYS = 3;
    private static final int ENGINE = 6;
    private static final int DESTINATION = 7;
    private static final int FLAGS_SHIFT = 8;
    private static final int ELEMENTS_SHIFT = 16;
    private static final int HIGH = 32;
    private static final long LOW_HALF = 0xffff_ffffL;
    private static final long BYTE = 0xff;
    private static final long LIST = -1L << ELEMENTS_SHIFT;
    private static final int HEADER_WORDS = HEADER_BYTES / Long.BYTES;
    private static final int ELEMENT_WORDS = ELEMENT_BYTES / Long.BYTES;

    private long[] words = {};
    private MemorySegment bytes = MemorySegment.NULL;
    private int at;

    /** Bytes of a slot with room for this many elements or inline bytes; a multiple of 16. */
    public static int strideBytes(int maxElements, int maxInlineBytes) {
        int list = Math.max(maxElements * ELEMENT_BYTES, maxInlineBytes);
        return HEADER_BYTES + (list + ELEMENT_BYTES - 1 & -ELEMENT_BYTES);
    }

    /** An element outside any queue, with room for this many elements or inline bytes. */
    public static Wqe template(int maxElements, int maxInlineBytes) {
        long[] own = new long[strideBytes(maxElements, maxInlineBytes) / Long.BYTES];
        return new Wqe().wrap(own, MemorySegment.ofArray(own), 0);
    }

    /**
     * Points this flyweight at a slot.
     *
     * @param newBytes the same words as bytes, for inline payload
     */
    Wqe wrap(long[] newWords, MemorySegment newBytes, int firstWord) {
        words = newWords;
        bytes = newBytes;
        at = firstWord;
        return this;
    }

    /** Clears the header and sets the operation. */
    public Wqe clear(WorkOpcode opcode, WrFlags flags) {
        long[] w = words;
        int first = at;
        w[first] = 0;
        w[first + KIND] = opcode.ordinal() | bits(flags) << FLAGS_SHIFT;
        for (int i = KIND + 1; i < HEADER_WORDS; i++) {
            w[first + i] = 0;
        }
        return this;
    }

    /** Copies the header of another element and this many bytes after it. */
    public Wqe copyFrom(Wqe other, int listBytes) {
        int count = HEADER_WORDS + (listBytes + Long.BYTES - 1) / Long.BYTES;
        System.arraycopy(other.words, other.at, words, at, count);
        return this;
    }

    private static long high(long word) {
        return word >>> HIGH;
    }

    /** A word from its two halves. */
    static long pair(int low, int high) {
        return (long) high << HIGH | low & LOW_HALF;
    }

    private int low(int word) {
        return (int) words[at + word];
    }

    private int high(int word) {
        return (int) high(words[at + word]);
    }

    private void low(int word, int value) {
        words[at + word] = words[at + word] & ~LOW_HALF | value & LOW_HALF;
    }

    private void high(int word, int value) {
        words[at + word] = pair((int) words[at + word], value);
    }

    public long wrId() {
        return words[at];
    }

    public Wqe wrId(long value) {
        words[at] = value;
        return this;
    }

    public WorkOpcode opcode() {
        return OPCODES[(int) (words[at + KIND] & BYTE)];
    }

    public Wqe flags(WrFlags flags) {
        words[at + KIND] = words[at + KIND] & ~(BYTE << FLAGS_SHIFT) | bits(flags) << FLAGS_SHIFT;
        return this;
    }

    private static long bits(WrFlags flags) {
        return (flags.signalled() ? SIGNALLED : 0)
                | (flags.fenced() ? FENCED : 0)
                | (flags.solicited() ? SOLICITED : 0)
                | (flags.inline() ? INLINE : 0)
                | (flags.notifies() ? NOTIFIES : 0);
    }

    private boolean flag(int bit) {
        return (words[at + KIND] >>> FLAGS_SHIFT & bit) != 0;
    }

    public boolean signalled() {
        return flag(SIGNALLED);
    }

    public boolean fenced() {
        return flag(FENCED);
    }

    public boolean solicited() {
        return flag(SOLICITED);
    }

    public boolean inline() {
        return flag(INLINE);
    }

    public boolean notifies() {
        return flag(NOTIFIES);
    }

    public int elements() {
        return low(KIND) >>> ELEMENTS_SHIFT;
    }

    /** Total length of the list in bytes. */
    public int length() {
        return high(KIND);
    }

    public long remoteAddress() {
        return words[at + 2];
    }

    public Wqe remoteAddress(long value) {
        words[at + 2] = value;
        return this;
    }

    public int rkey() {
        return low(KEYS);
    }

    public Wqe rkey(int value) {
        low(KEYS, value);
        return this;
    }

    public int otherKey() {
        return high(KEYS);
    }

    public Wqe otherKey(int value) {
        high(KEYS, value);
        return this;
    }

    public long operand1() {
        return words[at + 4];
    }

    public Wqe operand1(long value) {
        words[at + 4] = value;
        return this;
    }

    public long operand2() {
        return words[at + 5];
    }

    public Wqe operand2(long value) {
        words[at + 5] = value;
        return this;
    }

    /** Bytes of the message that have arrived (receive, Read). Set by the engine. */
    public int progress() {
        return low(ENGINE);
    }

    public Wqe progress(int value) {
        low(ENGINE, value);
        return this;
    }

    /** Records that this work failed: it completes with this status when its queue is flushed. Set by the engine. */
    public Wqe fail(CompletionStatus status) {
        high(ENGINE, 1 + status.ordinal());
        return this;
    }

    /** Whether {@link #fail} has been called. */
    public boolean failed() {
        return high(ENGINE) != NOT_FAILED;
    }

    /** The status given to {@link #fail}; call only if {@link #failed}. */
    public CompletionStatus failure() {
        return STATUSES[high(ENGINE) - 1];
    }

    /** Whether the operation completes only when the peer has answered, so that it counts against ORD. */
    public boolean awaitsResponse() {
        return (AWAIT_RESPONSE >>> (words[at + KIND] & BYTE) & 1) != 0;
    }

    /** Whether the operation is an atomic. */
    public boolean atomic() {
        WorkOpcode opcode = opcode();
        return opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD;
    }

    /** Datagram services: number of the destination's queue pair. */
    public int destination() {
        return low(DESTINATION);
    }

    public Wqe destination(int queuePairNumber, int qkey) {
        words[at + DESTINATION] = pair(queuePairNumber, qkey);
        return this;
    }

    /** Datagram services: Q_Key that the datagram carries. */
    public int qkey() {
        return high(DESTINATION);
    }

    /** Adds an element to the list. The poster has checked that the slot has room for it. */
    public Wqe addElement(int localKey, long offset, int length) {
        int count = elements();
        int e = element(count);
        words[e] = pair(localKey, length);
        words[e + 1] = offset;
        list(count + 1, Math.addExact(length(), length));
        return this;
    }

    private int element(int index) {
        return at + HEADER_WORDS + index * ELEMENT_WORDS;
    }

    private void list(int count, int length) {
        words[at + KIND] = words[at + KIND] & ~LIST | (long) length << HIGH | (long) count << ELEMENTS_SHIFT;
    }

    /** Clears the list. */
    public Wqe noElements() {
        list(0, 0);
        return this;
    }

    public int elementKey(int index) {
        return (int) words[element(index)];
    }

    public int elementLength(int index) {
        return (int) high(words[element(index)]);
    }

    public long elementOffset(int index) {
        return words[element(index) + 1];
    }

    /** Sets the number of inline bytes, which the caller writes to {@link #bytes()} at {@link #inlineOffset()}. */
    public Wqe inlineLength(int count) {
        list(0, count);
        return this;
    }

    /** Offset of the inline bytes in {@link #bytes()}. */
    public long inlineOffset() {
        return (long) (at + HEADER_WORDS) * Long.BYTES;
    }

    /** The memory that contains the slot, as bytes. */
    public MemorySegment bytes() {
        return bytes;
    }
}
