package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 13.4.8.2.
 */
public final class Notice extends Header<Notice> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** IsGeneric. */
    public boolean generic() {
        return flag(0, 0);
    }

    public Notice generic(boolean value) {
        return flag(0, 0, value);
    }

    /** Type: 1 is urgent. */
    public int type() {
        return bits(0, 1, 7);
    }

    public Notice type(int value) {
        return bits(0, 1, 7, value);
    }

    /** ProducerType, a NodeType. */
    public int producerType() {
        return u24(1);
    }

    public Notice producerType(int value) {
        return u24(1, value);
    }

    /** TrapNumber: 128 is a change of the state of a link. */
    public int trapNumber() {
        return u16(4);
    }

    public Notice trapNumber(int value) {
        return u16(4, value);
    }

    /** IssuerLID. */
    public int issuerLid() {
        return u16(6);
    }

    public Notice issuerLid(int value) {
        return u16(6, value);
    }

    /** NoticeToggle and NoticeCount. */
    public int toggleCount() {
        return u16(8);
    }

    public Notice toggleCount(int value) {
        return u16(8, value);
    }

    /** The LID in the details of trap 128. */
    public int dataLid() {
        return u16(10);
    }

    public Notice dataLid(int value) {
        return u16(10, value);
    }
}
