package io.verbena.rnic.ib;

import io.verbena.base.Times;
import io.verbena.verbs.InfinibandOptions;

/**
 * Limits of the connections of a port, and what connections use unless their own options say otherwise.
 *
 * @param options of the RNIC
 * @param receiveBufferBytes size of the receive buffer of the port. The peer's is assumed to have the same size
 */
record PortLimits(InfinibandOptions options, int receiveBufferBytes) {

    /** Most Reads and atomics under way in one direction. */
    static final int READS = 128;

    /** The path MTU that fits Ethernet. */
    private static final int DEFAULT_MTU_BYTES = 1024;

    /** What Linux accounts for a packet in addition to its bytes, rounded up to a power of two. */
    private static final int OVERHEAD_BYTES = 768;

    private static final int HEADER_BYTES = 92;
    private static final int LEAST_WINDOW = 8;
    private static final int LARGEST_WINDOW = 512;

    /** The unit of timeout codes: 4.096 µs. */
    private static final long TIMEOUT_UNIT_NS = 4_096;

    /** The MTU code of 256 bytes is 1, and each next one stands for twice as much. */
    private static final int MTU_CODE_SHIFT = 7;

    /** Largest path MTU. */
    int mtuBytes() {
        return options.pathMtuBytes() == 0 ? DEFAULT_MTU_BYTES : options.pathMtuBytes();
    }

    int mtuCode() {
        return Integer.numberOfTrailingZeros(mtuBytes()) - MTU_CODE_SHIFT;
    }

    static int mtuBytes(int code) {
        return 1 << code + MTU_CODE_SHIFT;
    }

    /** The ACK timeout as a code, rounded up; 0 for no limit. */
    int ackTimeoutCode() {
        return timeoutCode(Times.nanos(options.ackTimeout()));
    }

    static int timeoutCode(long timeoutNs) {
        int code = 0;
        while (timeoutNs(code) < timeoutNs) {
            code++;
        }
        return code;
    }

    /** Duration of a timeout code; 0 for no limit (InfiniBand architecture specification, volume 1, section 9.7.6.1.3). */
    static long timeoutNs(int code) {
        return code == 0 ? 0 : TIMEOUT_UNIT_NS << code;
    }

    /**
     * Maximum number of packets without an acknowledgement: half of what the receive buffer holds. A UDP socket drops
     * packets that do not fit, and all connections of a port share the buffer.
     */
    int windowPackets(int pathMtuBytes) {
        int packetBytes = OVERHEAD_BYTES + Integer.highestOneBit(2 * (pathMtuBytes + HEADER_BYTES) - 1);
        return Math.clamp(receiveBufferBytes / (2 * packetBytes), LEAST_WINDOW, LARGEST_WINDOW);
    }
}
