package io.verbena.wire;

/**
 * The interface from which packets of a pcapng file were captured.
 *
 * @param linkType of its packets; see {@link PcapngWriter#ETHERNET}
 * @param resolution of its clock, as if_tsresol states it: a negative power of ten, or of two if the top bit is set
 * @param offsetS seconds that are added to every time
 */
record PcapngInterface(int linkType, int resolution, long offsetS) {

    /** The resolution of an interface that states none. */
    static final int MICROSECONDS = 6;

    private static final int BINARY_RESOLUTION = 0x80;
    private static final long NS_PER_S = 1_000_000_000L;

    /** The time of a packet in nanoseconds, from the ticks of the clock. Unreasonable resolutions give 0 for the ticks. */
    long timestampNs(long ticks) {
        return toNs(ticks) + offsetS * NS_PER_S;
    }

    private long toNs(long ticks) {
        if ((resolution & BINARY_RESOLUTION) != 0) {
            int shift = resolution & ~BINARY_RESOLUTION;
            if (shift > 32) {
                return 0;
            }
            long fraction = ticks & (1L << shift) - 1;
            return (ticks >>> shift) * NS_PER_S + (fraction * NS_PER_S >>> shift);
        }
        long ns = ticks;
        for (int digits = resolution; digits < 9; digits++) {
            ns *= 10;
        }
        for (int digits = resolution; digits > 9; digits--) {
            ns = Long.divideUnsigned(ns, 10);
        }
        return ns;
    }
}
