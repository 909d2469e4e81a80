package io.verbena.tcp.segment;

import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;

/**
 * What the SYN of a peer offers.
 *
 * @param flags of the SYN, which ask for explicit congestion notification or not (RFC 3168 section 6.1.1)
 * @param mss the largest segment that the peer accepts
 * @param windowScale the shift of its windows, or {@link TcpOptionReader#ABSENT}
 * @param sack whether selective acknowledgments are permitted
 * @param timestamps whether timestamps are used
 * @param timestamp the TSval
 */
public record SynOffer(int flags, int mss, int windowScale, boolean sack, boolean timestamps, int timestamp) {

    private static final int ASKS = TcpHeader.ECE | TcpHeader.CWR;

    /**
     * Reads a SYN.
     *
     * @param defaultMss the segment size of a peer that does not state it
     */
    public static SynOffer of(SegmentIn in, int defaultMss) {
        TcpOptionReader options = in.options();
        return new SynOffer(
                in.flags(),
                options.mss() == TcpOptionReader.ABSENT ? defaultMss : options.mss(),
                options.windowScale(),
                options.sackPermitted(),
                options.timestamps(),
                options.timestamp());
    }

    /** Whether the SYN asks for explicit congestion notification. */
    public boolean ecn() {
        return (flags & (ASKS | TcpHeader.ACK)) == ASKS;
    }

    /** The flags of a SYN that asks for explicit congestion notification or does not. */
    public static int flags(boolean ecn) {
        return TcpHeader.SYN | (ecn ? ASKS : 0);
    }
}
