package io.verbena.fabric.management;

/** What a port counts, with the number of bits of its counter in PortCounters and its bit in the masks of a Set. */
public enum Counter {
    SYMBOL_ERRORS(16, 0, -1),
    LINK_ERROR_RECOVERY(8, 1, -1),
    LINK_DOWNED(8, 2, -1),
    RECEIVE_ERRORS(16, 3, -1),
    REMOTE_PHYSICAL_ERRORS(16, 4, -1),
    SWITCH_RELAY_ERRORS(16, 5, -1),
    XMIT_DISCARDS(16, 6, -1),
    LOCAL_LINK_INTEGRITY_ERRORS(4, 9, -1),
    BUFFER_OVERRUN_ERRORS(4, 10, -1),
    VL15_DROPPED(16, 11, -1),
    /** In words of 4 bytes. */
    XMIT_DATA(32, 12, 0),
    /** In words of 4 bytes. */
    RCV_DATA(32, 13, 1),
    XMIT_PACKETS(32, 14, 2),
    RCV_PACKETS(32, 15, 3),
    /** In ticks during which data waited for credits or for the link. */
    XMIT_WAIT(32, 16, -1);

    private static final Counter[] ALL = values();

    private final int bits;
    private final int selectBit;
    private final int extendedBit;

    Counter(int bits, int selectBit, int extendedBit) {
        this.bits = bits;
        this.selectBit = selectBit;
        this.extendedBit = extendedBit;
    }

    /** The greatest value that PortCounters can show. */
    long maximum() {
        return (1L << bits) - 1;
    }

    /** Whether CounterSelect, with CounterSelect2 above it, names this counter. */
    boolean selectedBy(int mask) {
        return (mask >> selectBit & 1) != 0;
    }

    /** Whether CounterSelect of PortCountersExtended names this counter. */
    boolean selectedByExtended(int mask) {
        return extendedBit >= 0 && (mask >> extendedBit & 1) != 0;
    }

    static int count() {
        return ALL.length;
    }

    static Counter[] all() {
        return ALL;
    }
}
