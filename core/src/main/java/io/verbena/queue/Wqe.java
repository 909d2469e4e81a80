package io.verbena.queue;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;

/**
 * A work queue element: a view of one slot, or of a template that is posted by copying it.
 *
 * <pre>
 *    0 | wrId                                                            |
 *    8 | opcode  8 | flags   8 | elements  16 | length                32 |
 *   16 | remoteAddress (bind: offset in the region)                      |
 *   24 | rkey (or key to invalidate)      32 | otherKey               32 |
 *   32 | operand1: immediate, expected, addend, delay, bind length       |
 *   40 | operand2: desired                                               |
 *   48 | progress: engine's own           32 | notes: engine's own     32 |
 *   56 | destination: datagram queue pair 32 | qkey                    32 |
 *   64 | elements of 16 bytes: localKey 32 | length 32 | offset 64   or inline bytes |
 * </pre>
 */
public final class Wqe {

    /** Bytes before the list. */
    public static final int HEADER_BYTES = 64;

    /** Bytes an element of the list. */
    public static final int ELEMENT_BYTES = 16;

    private static final int SIGNALLED = 1;
    private static final int FENCED = 2;
    private static final int SOLICITED = 4;
    private static final int INLINE = 8;
    private static final int NOTIFIES = 16;

    private static final WorkOpcode[] OPCODES = WorkOpcode.values();

    private MemorySegment segment = MemorySegment.NULL;
    private long at;

    /** Bytes that a slot needs for so many elements or inline bytes; a multiple of 64. */
    public static int strideBytes(int maxElements, int maxInlineBytes) {
        int list = Math.max(maxElements * ELEMENT_BYTES, maxInlineBytes);
        return HEADER_BYTES + (list + 63 & -64);
    }

    /** Looks at a slot. */
    public Wqe wrap(MemorySegment newSegment, long offset) {
        segment = newSegment;
        at = offset;
        return this;
    }

    /** Empties the header for an operation. */
    public Wqe clear(WorkOpcode opcode, WrFlags flags) {
        segment.set(JAVA_LONG, at, 0);
        segment.set(JAVA_BYTE, at + 8, (byte) opcode.ordinal());
        flags(flags);
        segment.set(JAVA_SHORT, at + 10, (short) 0);
        segment.set(JAVA_INT, at + 12, 0);
        for (long i = 16; i < HEADER_BYTES; i += 8) {
            segment.set(JAVA_LONG, at + i, 0);
        }
        return this;
    }

    public long wrId() {
        return segment.get(JAVA_LONG, at);
    }

    public Wqe wrId(long value) {
        segment.set(JAVA_LONG, at, value);
        return this;
    }

    public WorkOpcode opcode() {
        return OPCODES[segment.get(JAVA_BYTE, at + 8)];
    }

    public Wqe flags(WrFlags flags) {
        int bits = (flags.signalled() ? SIGNALLED : 0)
                | (flags.fenced() ? FENCED : 0)
                | (flags.solicited() ? SOLICITED : 0)
                | (flags.inline() ? INLINE : 0)
                | (flags.notifies() ? NOTIFIES : 0);
        segment.set(JAVA_BYTE, at + 9, (byte) bits);
        return this;
    }

    private boolean flag(int bit) {
        return (segment.get(JAVA_BYTE, at + 9) & bit) != 0;
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
        return segment.get(JAVA_SHORT, at + 10);
    }

    /** Total length of the list in bytes. */
    public int length() {
        return segment.get(JAVA_INT, at + 12);
    }

    public long remoteAddress() {
        return segment.get(JAVA_LONG, at + 16);
    }

    public Wqe remoteAddress(long value) {
        segment.set(JAVA_LONG, at + 16, value);
        return this;
    }

    public int rkey() {
        return segment.get(JAVA_INT, at + 24);
    }

    public Wqe rkey(int value) {
        segment.set(JAVA_INT, at + 24, value);
        return this;
    }

    public int otherKey() {
        return segment.get(JAVA_INT, at + 28);
    }

    public Wqe otherKey(int value) {
        segment.set(JAVA_INT, at + 28, value);
        return this;
    }

    public long operand1() {
        return segment.get(JAVA_LONG, at + 32);
    }

    public Wqe operand1(long value) {
        segment.set(JAVA_LONG, at + 32, value);
        return this;
    }

    public long operand2() {
        return segment.get(JAVA_LONG, at + 40);
    }

    public Wqe operand2(long value) {
        segment.set(JAVA_LONG, at + 40, value);
        return this;
    }

    /** Engine's own: bytes that have arrived (receive, Read). */
    public int progress() {
        return segment.get(JAVA_INT, at + 48);
    }

    public Wqe progress(int value) {
        segment.set(JAVA_INT, at + 48, value);
        return this;
    }

    /** Engine's own. */
    public int notes() {
        return segment.get(JAVA_INT, at + 52);
    }

    public Wqe notes(int value) {
        segment.set(JAVA_INT, at + 52, value);
        return this;
    }

    public int destination() {
        return segment.get(JAVA_INT, at + 56);
    }

    public Wqe destination(int queuePairNumber, int qkey) {
        segment.set(JAVA_INT, at + 56, queuePairNumber);
        segment.set(JAVA_INT, at + 60, qkey);
        return this;
    }

    public int qkey() {
        return segment.get(JAVA_INT, at + 60);
    }

    /** Adds an element to the list; the slot has room (checked by who posts). */
    public Wqe addElement(int localKey, long offset, int length) {
        int count = elements();
        long e = at + HEADER_BYTES + (long) count * ELEMENT_BYTES;
        segment.set(JAVA_INT, e, localKey);
        segment.set(JAVA_INT, e + 4, length);
        segment.set(JAVA_LONG, e + 8, offset);
        segment.set(JAVA_SHORT, at + 10, (short) (count + 1));
        segment.set(JAVA_INT, at + 12, Math.addExact(length(), length));
        return this;
    }

    /** Empties the list. */
    public Wqe noElements() {
        segment.set(JAVA_SHORT, at + 10, (short) 0);
        segment.set(JAVA_INT, at + 12, 0);
        return this;
    }

    public int elementKey(int index) {
        return segment.get(JAVA_INT, at + HEADER_BYTES + (long) index * ELEMENT_BYTES);
    }

    public int elementLength(int index) {
        return segment.get(JAVA_INT, at + HEADER_BYTES + (long) index * ELEMENT_BYTES + 4);
    }

    public long elementOffset(int index) {
        return segment.get(JAVA_LONG, at + HEADER_BYTES + (long) index * ELEMENT_BYTES + 8);
    }

    /** Where inline bytes begin in {@link #segment()}. */
    public long inlineOffset() {
        return at + HEADER_BYTES;
    }

    /** Sets the number of inline bytes. */
    public Wqe inlineLength(int bytes) {
        segment.set(JAVA_INT, at + 12, bytes);
        return this;
    }

    /** Memory that the slot is part of. */
    public MemorySegment segment() {
        return segment;
    }

    /** Offset of the slot in {@link #segment()}. */
    public long offset() {
        return at;
    }
}
