package io.verbena.iwarp.startup;

/**
 * A valid MPA Request Frame, for the application to accept or reject.
 *
 * @param privateData the application's part, without IRD and ORD
 * @param revision 1 or 2
 * @param enhanced the frame was in the format of RFC 6581, and so will the Reply be
 * @param depths the initiator's IRD and ORD; {@link ReadDepths#UNSAID} in an unenhanced request
 * @param peerToPeer the model asked for and the RTR messages that the initiator can send
 * @param wantsMarkers M: we have to put markers into what we send
 * @param wantsCrc C: CRCs will be used
 * @param reservedBits the reserved bits of the flags byte as they stood there; without meaning in the RFCs
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

    /** Most bytes of private data that the Reply can carry: 508 or 512. */
    public int maxReplyPrivateDataLength() {
        return enhanced ? PrivateData.MAX_LENGTH_ENHANCED : PrivateData.MAX_LENGTH;
    }

    /** Linux's siw uses a reserved bit to ask for FPDUs larger than a segment. */
    public boolean gsoBitSeen() {
        return (reservedBits & StartUpFrame.SIW_GSO_BIT) != 0;
    }
}
