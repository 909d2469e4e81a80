package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * Notice: an event that a node reports.
 *
 * <pre>
 *    byte bits  field
 *       0    1  generic
 *     0.1    7  type
 *       1   24  producerType
 *       4   16  trapNumber
 *       6   16  issuerLid
 *       8   16  toggleCount
 *      10   16  dataLid
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 13.4.8.2.
 */
public final class Notice extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public Notice wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** IsGeneric. */
    public boolean generic() {
        return bits(0, 1) != 0;
    }

    /** Writes generic. */
    public Notice generic(boolean value) {
        bits(0, 1, value ? 1 : 0);
        return this;
    }

    /** Type: 1 is urgent. */
    public int type() {
        return bits(1, 7);
    }

    /** Writes type. */
    public Notice type(int value) {
        bits(1, 7, value);
        return this;
    }

    /** ProducerType, a NodeType. */
    public int producerType() {
        return u24(1);
    }

    /** Writes producerType. */
    public Notice producerType(int value) {
        u24(1, value);
        return this;
    }

    /** TrapNumber: 128 is a change of the state of a link. */
    public int trapNumber() {
        return u16(4);
    }

    /** Writes trapNumber. */
    public Notice trapNumber(int value) {
        u16(4, value);
        return this;
    }

    /** IssuerLID. */
    public int issuerLid() {
        return u16(6);
    }

    /** Writes issuerLid. */
    public Notice issuerLid(int value) {
        u16(6, value);
        return this;
    }

    /** NoticeToggle and NoticeCount. */
    public int toggleCount() {
        return u16(8);
    }

    /** Writes toggleCount. */
    public Notice toggleCount(int value) {
        u16(8, value);
        return this;
    }

    /** The LID in the details of trap 128. */
    public int dataLid() {
        return u16(10);
    }

    /** Writes dataLid. */
    public Notice dataLid(int value) {
        u16(10, value);
        return this;
    }
}
