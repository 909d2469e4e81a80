package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;

/**
 * PortCounters: small counters of a port, which stop at their maximum.
 *
 * <pre>
 *    byte bits  field
 *       1    8  portSelect
 *       2   16  counterSelect
 *       4   16  symbolErrorCounter
 *       6    8  linkErrorRecoveryCounter
 *       7    8  linkDownedCounter
 *       8   16  portRcvErrors
 *      10   16  portRcvRemotePhysicalErrors
 *      12   16  portRcvSwitchRelayErrors
 *      14   16  portXmitDiscards
 *      16    8  portXmitConstraintErrors
 *      17    8  portRcvConstraintErrors
 *      18    8  counterSelect2
 *      19    4  localLinkIntegrityErrors
 *    19.4    4  excessiveBufferOverrunErrors
 *      22   16  vl15Dropped
 *      24   32  portXmitData
 *      28   32  portRcvData
 *      32   32  portXmitPkts
 *      36   32  portRcvPkts
 *      40   32  portXmitWait
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 16.1.3.5.
 */
public final class PortCounters extends Fields {
    /** Length in bytes. */
    public static final int LENGTH = 44;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public PortCounters wrap(MemorySegment segment, long offset) {
        point(segment, offset);
        return this;
    }

    /** PortSelect: a port; 255 for all. */
    public int portSelect() {
        return u8(1);
    }

    /** Writes portSelect. */
    public PortCounters portSelect(int value) {
        u8(1, value);
        return this;
    }

    /** CounterSelect: the counters that a Set resets. */
    public int counterSelect() {
        return u16(2);
    }

    /** Writes counterSelect. */
    public PortCounters counterSelect(int value) {
        u16(2, value);
        return this;
    }

    /** SymbolErrorCounter. */
    public int symbolErrorCounter() {
        return u16(4);
    }

    /** Writes symbolErrorCounter. */
    public PortCounters symbolErrorCounter(int value) {
        u16(4, value);
        return this;
    }

    /** LinkErrorRecoveryCounter. */
    public int linkErrorRecoveryCounter() {
        return u8(6);
    }

    /** Writes linkErrorRecoveryCounter. */
    public PortCounters linkErrorRecoveryCounter(int value) {
        u8(6, value);
        return this;
    }

    /** LinkDownedCounter. */
    public int linkDownedCounter() {
        return u8(7);
    }

    /** Writes linkDownedCounter. */
    public PortCounters linkDownedCounter(int value) {
        u8(7, value);
        return this;
    }

    /** PortRcvErrors. */
    public int portRcvErrors() {
        return u16(8);
    }

    /** Writes portRcvErrors. */
    public PortCounters portRcvErrors(int value) {
        u16(8, value);
        return this;
    }

    /** PortRcvRemotePhysicalErrors. */
    public int portRcvRemotePhysicalErrors() {
        return u16(10);
    }

    /** Writes portRcvRemotePhysicalErrors. */
    public PortCounters portRcvRemotePhysicalErrors(int value) {
        u16(10, value);
        return this;
    }

    /** PortRcvSwitchRelayErrors. */
    public int portRcvSwitchRelayErrors() {
        return u16(12);
    }

    /** Writes portRcvSwitchRelayErrors. */
    public PortCounters portRcvSwitchRelayErrors(int value) {
        u16(12, value);
        return this;
    }

    /** PortXmitDiscards. */
    public int portXmitDiscards() {
        return u16(14);
    }

    /** Writes portXmitDiscards. */
    public PortCounters portXmitDiscards(int value) {
        u16(14, value);
        return this;
    }

    /** PortXmitConstraintErrors. */
    public int portXmitConstraintErrors() {
        return u8(16);
    }

    /** Writes portXmitConstraintErrors. */
    public PortCounters portXmitConstraintErrors(int value) {
        u8(16, value);
        return this;
    }

    /** PortRcvConstraintErrors. */
    public int portRcvConstraintErrors() {
        return u8(17);
    }

    /** Writes portRcvConstraintErrors. */
    public PortCounters portRcvConstraintErrors(int value) {
        u8(17, value);
        return this;
    }

    /** CounterSelect2. */
    public int counterSelect2() {
        return u8(18);
    }

    /** Writes counterSelect2. */
    public PortCounters counterSelect2(int value) {
        u8(18, value);
        return this;
    }

    /** LocalLinkIntegrityErrors. */
    public int localLinkIntegrityErrors() {
        return bits(152, 4);
    }

    /** Writes localLinkIntegrityErrors. */
    public PortCounters localLinkIntegrityErrors(int value) {
        bits(152, 4, value);
        return this;
    }

    /** ExcessiveBufferOverrunErrors. */
    public int excessiveBufferOverrunErrors() {
        return bits(156, 4);
    }

    /** Writes excessiveBufferOverrunErrors. */
    public PortCounters excessiveBufferOverrunErrors(int value) {
        bits(156, 4, value);
        return this;
    }

    /** VL15Dropped. */
    public int vl15Dropped() {
        return u16(22);
    }

    /** Writes vl15Dropped. */
    public PortCounters vl15Dropped(int value) {
        u16(22, value);
        return this;
    }

    /** PortXmitData: 4-byte words. */
    public long portXmitData() {
        return u32(24) & 0xffff_ffffL;
    }

    /** Writes portXmitData. */
    public PortCounters portXmitData(long value) {
        u32(24, (int) value);
        return this;
    }

    /** PortRcvData: 4-byte words. */
    public long portRcvData() {
        return u32(28) & 0xffff_ffffL;
    }

    /** Writes portRcvData. */
    public PortCounters portRcvData(long value) {
        u32(28, (int) value);
        return this;
    }

    /** PortXmitPkts. */
    public long portXmitPkts() {
        return u32(32) & 0xffff_ffffL;
    }

    /** Writes portXmitPkts. */
    public PortCounters portXmitPkts(long value) {
        u32(32, (int) value);
        return this;
    }

    /** PortRcvPkts. */
    public long portRcvPkts() {
        return u32(36) & 0xffff_ffffL;
    }

    /** Writes portRcvPkts. */
    public PortCounters portRcvPkts(long value) {
        u32(36, (int) value);
        return this;
    }

    /** PortXmitWait: ticks during which data waited. */
    public long portXmitWait() {
        return u32(40) & 0xffff_ffffL;
    }

    /** Writes portXmitWait. */
    public PortCounters portXmitWait(long value) {
        u32(40, (int) value);
        return this;
    }
}
