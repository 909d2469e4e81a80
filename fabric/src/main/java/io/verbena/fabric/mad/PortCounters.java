package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 16.1.3.5.
 */
public final class PortCounters extends Header<PortCounters> {
    /** Length in bytes. */
    public static final int LENGTH = 44;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** PortSelect: a port; 255 for all. */
    public int portSelect() {
        return u8(1);
    }

    public PortCounters portSelect(int value) {
        return u8(1, value);
    }

    /** CounterSelect: the counters that a Set resets. */
    public int counterSelect() {
        return u16(2);
    }

    public PortCounters counterSelect(int value) {
        return u16(2, value);
    }

    /** SymbolErrorCounter. */
    public int symbolErrorCounter() {
        return u16(4);
    }

    public PortCounters symbolErrorCounter(int value) {
        return u16(4, value);
    }

    /** LinkErrorRecoveryCounter. */
    public int linkErrorRecoveryCounter() {
        return u8(6);
    }

    public PortCounters linkErrorRecoveryCounter(int value) {
        return u8(6, value);
    }

    /** LinkDownedCounter. */
    public int linkDownedCounter() {
        return u8(7);
    }

    public PortCounters linkDownedCounter(int value) {
        return u8(7, value);
    }

    /** PortRcvErrors. */
    public int portRcvErrors() {
        return u16(8);
    }

    public PortCounters portRcvErrors(int value) {
        return u16(8, value);
    }

    /** PortRcvRemotePhysicalErrors. */
    public int portRcvRemotePhysicalErrors() {
        return u16(10);
    }

    public PortCounters portRcvRemotePhysicalErrors(int value) {
        return u16(10, value);
    }

    /** PortRcvSwitchRelayErrors. */
    public int portRcvSwitchRelayErrors() {
        return u16(12);
    }

    public PortCounters portRcvSwitchRelayErrors(int value) {
        return u16(12, value);
    }

    /** PortXmitDiscards. */
    public int portXmitDiscards() {
        return u16(14);
    }

    public PortCounters portXmitDiscards(int value) {
        return u16(14, value);
    }

    /** PortXmitConstraintErrors. */
    public int portXmitConstraintErrors() {
        return u8(16);
    }

    public PortCounters portXmitConstraintErrors(int value) {
        return u8(16, value);
    }

    /** PortRcvConstraintErrors. */
    public int portRcvConstraintErrors() {
        return u8(17);
    }

    public PortCounters portRcvConstraintErrors(int value) {
        return u8(17, value);
    }

    /** CounterSelect2. */
    public int counterSelect2() {
        return u8(18);
    }

    public PortCounters counterSelect2(int value) {
        return u8(18, value);
    }

    /** LocalLinkIntegrityErrors. */
    public int localLinkIntegrityErrors() {
        return bits(19, 0, 4);
    }

    public PortCounters localLinkIntegrityErrors(int value) {
        return bits(19, 0, 4, value);
    }

    /** ExcessiveBufferOverrunErrors. */
    public int excessiveBufferOverrunErrors() {
        return bits(19, 4, 4);
    }

    public PortCounters excessiveBufferOverrunErrors(int value) {
        return bits(19, 4, 4, value);
    }

    /** VL15Dropped. */
    public int vl15Dropped() {
        return u16(22);
    }

    public PortCounters vl15Dropped(int value) {
        return u16(22, value);
    }

    /** PortXmitData: 4-byte words. */
    public long portXmitData() {
        return u32(24) & 0xffff_ffffL;
    }

    public PortCounters portXmitData(long value) {
        return u32(24, (int) value);
    }

    /** PortRcvData: 4-byte words. */
    public long portRcvData() {
        return u32(28) & 0xffff_ffffL;
    }

    public PortCounters portRcvData(long value) {
        return u32(28, (int) value);
    }

    /** PortXmitPkts. */
    public long portXmitPkts() {
        return u32(32) & 0xffff_ffffL;
    }

    public PortCounters portXmitPkts(long value) {
        return u32(32, (int) value);
    }

    /** PortRcvPkts. */
    public long portRcvPkts() {
        return u32(36) & 0xffff_ffffL;
    }

    public PortCounters portRcvPkts(long value) {
        return u32(36, (int) value);
    }

    /** PortXmitWait: ticks during which data waited. */
    public long portXmitWait() {
        return u32(40) & 0xffff_ffffL;
    }

    public PortCounters portXmitWait(long value) {
        return u32(40, (int) value);
    }
}
