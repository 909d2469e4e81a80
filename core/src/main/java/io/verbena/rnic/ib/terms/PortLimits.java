package io.verbena.rnic.ib.terms;

import io.verbena.base.Times;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.verbs.InfinibandOptions;
import java.net.InetAddress;
import java.util.List;

/**
 * Limits of the connections of a port, and what connections use unless their own options say otherwise.
 *
 * @param options of the RNIC
 * @param receiveBufferBytes size of the receive buffer of the port. The buffer of a peer that does not state its size
 * is
 *     assumed to be as large
 * @param showsCongestion whether the port shows the ECN bits of received packets
 * @param furtherAddresses what paths of connections can leave from besides the first address of the port
 */
public record PortLimits(
        InfinibandOptions options,
        int receiveBufferBytes,
        boolean showsCongestion,
        List<InetAddress> furtherAddresses) {

    /** The limits of a port with one address. */
    public PortLimits(InfinibandOptions options, int receiveBufferBytes, boolean showsCongestion) {
        this(options, receiveBufferBytes, showsCongestion, List.of());
    }

    /** Most Reads and atomics under way in one direction. */
    public static final int READS = 128;

    /** The path MTU that fits Ethernet. */
    private static final int DEFAULT_MTU_BYTES = 1024;

    /** What Linux accounts for a packet in addition to its bytes, rounded up to a power of two. */
    private static final int OVERHEAD_BYTES = 768;

    private static final int HEADER_BYTES = 92;
    private static final int LEAST_WINDOW = 8;
    private static final int LARGEST_WINDOW = 512;

    /** What a receiver of a connection with several paths keeps, without the packet that is missing. */
    private static final int LARGEST_WINDOW_OF_PATHS = 1023;

    /** The unit of timeout codes: 4.096 µs. */
    private static final long TIMEOUT_UNIT_NS = 4_096;

    /** The MTU code of 256 bytes is 1, and each next one stands for twice as much. */
    private static final int MTU_CODE_SHIFT = 7;

    /** Largest path MTU. */
    public int mtuBytes() {
        return options.pathMtuBytes() == 0 ? DEFAULT_MTU_BYTES : options.pathMtuBytes();
    }

    public int mtuCode() {
        return Integer.numberOfTrailingZeros(mtuBytes()) - MTU_CODE_SHIFT;
    }

    static int mtuBytes(int code) {
        return 1 << code + MTU_CODE_SHIFT;
    }

    /** The ACK timeout as a code, rounded up; 0 for no limit. */
    public int ackTimeoutCode() {
        return timeoutCode(Times.nanos(options.ackTimeout()));
    }

    public static int timeoutCode(long timeoutNs) {
        int code = 0;
        while (timeoutNs(code) < timeoutNs) {
            code++;
        }
        return code;
    }

    /**
     * Duration of a timeout code; 0 for no limit (InfiniBand architecture specification, volume 1, section 9.7.6.1.3).
     */
    public static long timeoutNs(int code) {
        return code == 0 ? 0 : TIMEOUT_UNIT_NS << code;
    }

    /** What this side offers to another Verbena. */
    public int offers() {
        return (options.selectiveRepeat() ? PaddedData.SELECTIVE_REPEAT : PaddedData.NONE)
                | (options.congestionControl() && showsCongestion ? PaddedData.CONGESTION_CONTROL : PaddedData.NONE)
                | PaddedData.receiveBuffer(receiveBufferBytes);
    }

    /**
     * Maximum number of packets without an acknowledgement: half of what the smaller receive buffer holds. A UDP socket
     * drops packets that do not fit, and all connections of a port share the buffer. Requests fill the peer's buffer,
     * and responses to Reads the own one.
     *
     * @param peerOffers what the peer offers
     */
    public int windowPackets(int pathMtuBytes, int peerOffers) {
        return windowPackets(pathMtuBytes, smallerBufferBytes(peerOffers), LARGEST_WINDOW);
    }

    /** The same for a connection with several paths, which are longer together. */
    int windowPacketsOfPaths(int pathMtuBytes, int peerOffers) {
        return windowPackets(pathMtuBytes, smallerBufferBytes(peerOffers), LARGEST_WINDOW_OF_PATHS);
    }

    private long smallerBufferBytes(int peerOffers) {
        return Math.min(
                receiveBufferBytes, PaddedData.receiveBufferBytes(peerOffers).orElse(receiveBufferBytes));
    }

    /**
     * The settings of a connection whose messages packets carry, as far as both ends of the packets determine them:
     * the smaller MTU, and what both offer.
     *
     * @param peer a valid offer of the peer
     */
    public SettingsBuilder carriage(CarriageOffer peer) {
        int mtu = mtuBytes(Math.min(mtuCode(), peer.mtuCode()));
        int agreed = PaddedData.common(offers(), peer.extensions());
        SettingsBuilder settings = new SettingsBuilder()
                .remote(peer.queuePair())
                .mtuBytes(mtu)
                .windowPackets(windowPackets(mtu, peer.extensions()));
        return (agreed & PaddedData.SELECTIVE_REPEAT) == 0 ? settings : settings.options(RcOption.SELECTIVE_REPEAT);
    }

    /** The window towards a peer whose buffer is unknown. */
    public int windowPackets(int pathMtuBytes) {
        return windowPackets(pathMtuBytes, receiveBufferBytes, LARGEST_WINDOW);
    }

    private static int windowPackets(int pathMtuBytes, long bufferBytes, int most) {
        int packetBytes = OVERHEAD_BYTES + Integer.highestOneBit(2 * (pathMtuBytes + HEADER_BYTES) - 1);
        return Math.clamp(bufferBytes / (2L * packetBytes), LEAST_WINDOW, most);
    }
}
