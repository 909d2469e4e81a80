package io.verbena.fabric.mad;

import io.verbena.wire.Header;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 16.1.4.11.
 */
public final class PortCountersExtended extends Header<PortCountersExtended> {
    /** Length in bytes. */
    public static final int LENGTH = 72;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** PortSelect: a port; 255 for all. */
    public int portSelect() {
        return u8(1);
    }

    public PortCountersExtended portSelect(int value) {
        return u8(1, value);
    }

    /** CounterSelect: the counters that a Set resets. */
    public int counterSelect() {
        return u16(2);
    }

    public PortCountersExtended counterSelect(int value) {
        return u16(2, value);
    }

    /** PortXmitData: 4-byte words. */
    public long portXmitData() {
        return u64(8);
    }

    public PortCountersExtended portXmitData(long value) {
        return u64(8, value);
    }

    /** PortRcvData: 4-byte words. */
    public long portRcvData() {
        return u64(16);
    }

    public PortCountersExtended portRcvData(long value) {
        return u64(16, value);
    }

    /** PortXmitPkts. */
    public long portXmitPkts() {
        return u64(24);
    }

    public PortCountersExtended portXmitPkts(long value) {
        return u64(24, value);
    }

    /** PortRcvPkts. */
    public long portRcvPkts() {
        return u64(32);
    }

    public PortCountersExtended portRcvPkts(long value) {
        return u64(32, value);
    }

    /** PortUnicastXmitPkts. */
    public long portUnicastXmitPkts() {
        return u64(40);
    }

    public PortCountersExtended portUnicastXmitPkts(long value) {
        return u64(40, value);
    }

    /** PortUnicastRcvPkts. */
    public long portUnicastRcvPkts() {
        return u64(48);
    }

    public PortCountersExtended portUnicastRcvPkts(long value) {
        return u64(48, value);
    }

    /** PortMulticastXmitPkts. */
    public long portMulticastXmitPkts() {
        return u64(56);
    }

    public PortCountersExtended portMulticastXmitPkts(long value) {
        return u64(56, value);
    }

    /** PortMulticastRcvPkts. */
    public long portMulticastRcvPkts() {
        return u64(64);
    }

    public PortCountersExtended portMulticastRcvPkts(long value) {
        return u64(64, value);
    }
}
