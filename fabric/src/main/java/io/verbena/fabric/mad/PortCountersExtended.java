package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * PortCountersExtended: 64-bit counters of a port.
 *
 * <pre>
 *    byte bits  field
 *       1    8  portSelect
 *       2   16  counterSelect
 *       8   64  portXmitData
 *      16   64  portRcvData
 *      24   64  portXmitPkts
 *      32   64  portRcvPkts
 *      40   64  portUnicastXmitPkts
 *      48   64  portUnicastRcvPkts
 *      56   64  portMulticastXmitPkts
 *      64   64  portMulticastRcvPkts
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 16.1.4.11.
 */
public final class PortCountersExtended extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 72;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public PortCountersExtended wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** PortSelect: a port; 255 for all. */
    public int portSelect() {
        return u8(1);
    }

    /** Writes portSelect. */
    public PortCountersExtended portSelect(int value) {
        u8(1, value);
        return this;
    }

    /** CounterSelect: the counters that a Set resets. */
    public int counterSelect() {
        return u16(2);
    }

    /** Writes counterSelect. */
    public PortCountersExtended counterSelect(int value) {
        u16(2, value);
        return this;
    }

    /** PortXmitData: 4-byte words. */
    public long portXmitData() {
        return u64(8);
    }

    /** Writes portXmitData. */
    public PortCountersExtended portXmitData(long value) {
        u64(8, value);
        return this;
    }

    /** PortRcvData: 4-byte words. */
    public long portRcvData() {
        return u64(16);
    }

    /** Writes portRcvData. */
    public PortCountersExtended portRcvData(long value) {
        u64(16, value);
        return this;
    }

    /** PortXmitPkts. */
    public long portXmitPkts() {
        return u64(24);
    }

    /** Writes portXmitPkts. */
    public PortCountersExtended portXmitPkts(long value) {
        u64(24, value);
        return this;
    }

    /** PortRcvPkts. */
    public long portRcvPkts() {
        return u64(32);
    }

    /** Writes portRcvPkts. */
    public PortCountersExtended portRcvPkts(long value) {
        u64(32, value);
        return this;
    }

    /** PortUnicastXmitPkts. */
    public long portUnicastXmitPkts() {
        return u64(40);
    }

    /** Writes portUnicastXmitPkts. */
    public PortCountersExtended portUnicastXmitPkts(long value) {
        u64(40, value);
        return this;
    }

    /** PortUnicastRcvPkts. */
    public long portUnicastRcvPkts() {
        return u64(48);
    }

    /** Writes portUnicastRcvPkts. */
    public PortCountersExtended portUnicastRcvPkts(long value) {
        u64(48, value);
        return this;
    }

    /** PortMulticastXmitPkts. */
    public long portMulticastXmitPkts() {
        return u64(56);
    }

    /** Writes portMulticastXmitPkts. */
    public PortCountersExtended portMulticastXmitPkts(long value) {
        u64(56, value);
        return this;
    }

    /** PortMulticastRcvPkts. */
    public long portMulticastRcvPkts() {
        return u64(64);
    }

    /** Writes portMulticastRcvPkts. */
    public PortCountersExtended portMulticastRcvPkts(long value) {
        u64(64, value);
        return this;
    }
}
