package io.verbena.iwarp.startup;

/**
 * A valid MPA Request Frame, for the application to accept or reject.
 *
 * @param privateData the data of the application, without IRD and ORD
 * @param revision 1 or 2
 * @param enhanced whether the frame has the format of RFC 6581, which the Reply then has too
 * @param depths the initiator's IRD and ORD; {@link ReadDepths#NOT_NEGOTIATED} in an unenhanced request
 * @param peerToPeer the requested model, and the RTR messages that the initiator can send
 * @param wantsMarkers M: this side must send markers
 * @param wantsCrc C: CRCs will be used
 * @param reservedBits the reserved bits of the flags byte as received; they have no meaning in the RFCs
 */
public record PeerRequest(
        PrivateData privateData,
        int revision,
        boolean enhanced,
        ReadDepths depths,
        PeerToPeer peerToPeer,
        boolean wantsMarkers,
        boolean wantsCrc,
        int reservedBits) {

    static PeerRequest of(StartUpFrame frame) {
        return new PeerRequest(
                frame.privateData(),
                frame.revision(),
                frame.enhanced(),
                frame.depths(),
                frame.peerToPeer(),
                frame.markers(),
                frame.crc(),
                frame.reservedBits());
    }

    /** Maximum length in bytes of the private data of the Reply: 508 or 512. */
    public int maxReplyPrivateDataLength() {
        return enhanced ? PrivateData.MAX_LENGTH_ENHANCED : PrivateData.MAX_LENGTH;
    }

    /** Whether the peer requests FPDUs larger than a segment, for which Linux's siw uses a reserved bit. */
    public boolean gsoBitSeen() {
        return (reservedBits & StartUpFrame.SIW_GSO_BIT) != 0;
    }
}
