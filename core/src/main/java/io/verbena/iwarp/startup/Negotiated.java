package io.verbena.iwarp.startup;

import java.util.Optional;

/**
 * The result of a start-up: how RDMA mode operates.
 *
 * @param initiator true on the side that sent the Request
 * @param revision of the Reply: 1 or 2
 * @param framing markers and checksums
 * @param depths the agreed depths of this side; {@link ReadDepths#LEFT_TO_ULP} where neither side gave a number
 * @param rtr the RTR message of the peer-to-peer model; empty in the client-server model. A Read as RTR may be sent even with
 *     an ORD of 0
 * @param peer what the peer's frame states
 */
public record Negotiated(
        boolean initiator, int revision, Framing framing, ReadDepths depths, Optional<RtrKind> rtr, Peer peer) {

    /**
     * Markers and checksums of both directions.
     *
     * @param sendMarkers this side sends markers
     * @param receiveMarkers this side receives markers
     * @param crc CRCs are generated and checked in both directions
     */
    public record Framing(boolean sendMarkers, boolean receiveMarkers, boolean crc) {}

    /**
     * What the peer's frame states.
     *
     * @param depths the depths in the frame; {@link ReadDepths#NOT_NEGOTIATED} if it was unenhanced
     * @param privateData the private data of the peer's application
     * @param flags the flags of the frame
     */
    public record Peer(ReadDepths depths, PrivateData privateData, MpaFlags flags) {}

    /** Number of the peer's Reads that this side serves at a time. */
    public int ird() {
        return depths.ird();
    }

    /** Number of Reads that this side may have outstanding. */
    public int ord() {
        return depths.ord();
    }

    /** Whether either side may send first, after the RTR message. */
    public boolean peerToPeer() {
        return rtr.isPresent();
    }

    /** Whether this side sends no FPDU and no marker before it has received a valid FPDU. */
    public boolean waitsForFirstFpdu() {
        // RFC 5044 section 7.1.2 [8]: a responder first receives and validates one FPDU.
        return !initiator;
    }

    /** Whether the first FPDU of this side is {@link #rtr()}. */
    public boolean sendsRtrFirst() {
        // RFC 6581 section 5 [1]: the initiator sends no other FPDU before the RTR indication.
        return initiator && rtr.isPresent();
    }

    /** Whether the first FPDU that arrives is an RTR message, which is not delivered to the application. */
    public boolean receivesRtrFirst() {
        return !initiator && rtr.isPresent();
    }
}
