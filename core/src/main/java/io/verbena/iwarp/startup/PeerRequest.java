package io.verbena.iwarp.startup;

/**
 * A valid MPA Request Frame, for the application to accept or reject.
 *
 * @param privateData the data of the application, without IRD and ORD
 * @param revision 1 or 2
 * @param depths the initiator's IRD and ORD; {@link ReadDepths#NOT_NEGOTIATED} in an unenhanced request
 * @param peerToPeer the requested model, and the RTR messages that the initiator can send
 * @param flags M: this side must send markers; C: CRCs will be used; S
 */
public record PeerRequest(
        PrivateData privateData, int revision, ReadDepths depths, PeerToPeer peerToPeer, MpaFlags flags) {

    static PeerRequest of(StartUpFrame frame) {
        return new PeerRequest(
                frame.privateData(), frame.revision(), frame.depths(), frame.peerToPeer(), frame.flags());
    }

    /** Maximum length in bytes of the private data of the Reply: 508 or 512. */
    public int maxReplyPrivateDataLength() {
        return flags.enhanced() ? PrivateData.MAX_LENGTH_ENHANCED : PrivateData.MAX_LENGTH;
    }
}
