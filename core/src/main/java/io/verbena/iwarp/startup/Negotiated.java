package io.verbena.iwarp.startup;

import java.util.Optional;

/**
 * What both sides agreed upon: how full operation is to run.
 *
 * @param initiator true on the side that sent the Request
 * @param revision of the Reply: 1 or 2
 * @param sendMarkers we put markers into what we send
 * @param receiveMarkers what we receive carries markers
 * @param crc CRCs are generated and checked both ways
 * @param depths ours, from now on; {@link ReadDepths#LEFT_TO_ULP} stays where nobody gave a number
 * @param peerDepths what the peer's frame said; {@link ReadDepths#UNSAID} if it was unenhanced
 * @param rtr the RTR message of the peer-to-peer model; empty in the client-server model. A Read as RTR may go out even
 *     with an ORD of 0
 * @param peerPrivateData the peer's application's words
 * @param peerReservedBits the reserved bits of the peer's flags byte
 */
public record Negotiated(
        boolean initiator,
        int revision,
        boolean sendMarkers,
        boolean receiveMarkers,
        boolean crc,
        ReadDepths depths,
        ReadDepths peerDepths,
        Optional<RtrKind> rtr,
        PrivateData peerPrivateData,
        int peerReservedBits) {

    /** Reads of the peer that we serve at a time. */
    public int ird() {
        return depths.ird();
    }

    /** Reads that we may have outstanding. */
    public int ord() {
        return depths.ord();
    }

    /** Either side may speak first, once the RTR message has passed. */
    public boolean peerToPeer() {
        return rtr.isPresent();
    }

    /** We send no FPDU and no marker until a valid FPDU of the peer has arrived. */
    public boolean waitsForFirstFpdu() {
        // RFC 5044 section 7.1.2 [8]: a responder first receives and validates one FPDU.
        return !initiator;
    }

    /** Our first FPDU is {@link #rtr()}; nothing else may overtake it. */
    public boolean sendsRtrFirst() {
        // RFC 6581 section 5 [1]: the initiator lets no later FPDU out before the RTR indication.
        return initiator && rtr.isPresent();
    }

    /** The first FPDU that arrives is an RTR message: it opens the gate and the application never sees it. */
    public boolean swallowsRtrFirst() {
        return !initiator && rtr.isPresent();
    }

    /** Linux's siw uses a reserved bit to ask for FPDUs larger than a segment. */
    public boolean gsoBitSeen() {
        return (peerReservedBits & StartUpFrame.SIW_GSO_BIT) != 0;
    }
}
