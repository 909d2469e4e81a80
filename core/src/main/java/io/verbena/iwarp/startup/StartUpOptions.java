package io.verbena.iwarp.startup;

/**
 * What one side brings to the start-up of a connection: an initiator to its Request, a responder to its accepting
 * Reply.
 *
 * @param wantsMarkersReceived M: the peer has to put markers into what it sends us (RFC 5044 section 7.1.1 [6])
 * @param wantsCrc C: we want CRCs; they are used if either side wants them
 * @param enhanced an initiator sends revision 2 with IRD, ORD and flags (RFC 6581), otherwise revision 1; a responder
 *     answers in the request's format and does not look here
 * @param depths the Reads we serve and the Reads we would like to have outstanding
 * @param peerToPeer the model and the RTR messages; see {@link PeerToPeer} for what it means on either side
 * @param timeoutNs how long the exchange may take: the initiator's from start to reply, the responder's until its reply
 *     has been handed out
 * @param privateData for the peer's application; at most 508 bytes in an enhanced frame
 */
public record StartUpOptions(
        boolean wantsMarkersReceived,
        boolean wantsCrc,
        boolean enhanced,
        ReadDepths depths,
        PeerToPeer peerToPeer,
        long timeoutNs,
        PrivateData privateData) {

    /** Five seconds. */
    public static final long DEFAULT_TIMEOUT_NS = 5_000_000_000L;

    /** Checks what does not go together. */
    public StartUpOptions {
        if (timeoutNs <= 0) {
            throw new IllegalArgumentException("a start-up needs a time-out above zero, and not " + timeoutNs + " ns");
        }
        if (peerToPeer.wanted() && !peerToPeer.offersAny()) {
            // RFC 6581 section 9.2 [2]: each supported RTR message is offered, and one at least has to be.
            throw new IllegalArgumentException("peer-to-peer needs at least one RTR message that we can send or take");
        }
        if (peerToPeer.wanted() && !enhanced) {
            // RFC 6581 section 6 [3]: any enhanced feature needs revision 2.
            throw new IllegalArgumentException("peer-to-peer needs the enhanced start-up, revision 2");
        }
        if (enhanced) {
            checkFits(privateData, true);
        }
    }

    /** Revision 2, no markers, CRC, 16 Reads each way, client-server, five seconds, no private data. */
    public static StartUpOptions defaults() {
        return new StartUpOptions(
                false, true, true, new ReadDepths(16, 16), PeerToPeer.NONE, DEFAULT_TIMEOUT_NS, PrivateData.EMPTY);
    }

    /** The same with another M. */
    public StartUpOptions withMarkersReceived(boolean value) {
        return new StartUpOptions(value, wantsCrc, enhanced, depths, peerToPeer, timeoutNs, privateData);
    }

    /** The same with another C. */
    public StartUpOptions withCrc(boolean value) {
        return new StartUpOptions(wantsMarkersReceived, value, enhanced, depths, peerToPeer, timeoutNs, privateData);
    }

    /** The same with revision 2 (true) or 1. */
    public StartUpOptions withEnhanced(boolean value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, value, depths, peerToPeer, timeoutNs, privateData);
    }

    /** The same with other read depths. */
    public StartUpOptions withDepths(int ird, int ord) {
        return new StartUpOptions(
                wantsMarkersReceived, wantsCrc, enhanced, new ReadDepths(ird, ord), peerToPeer, timeoutNs, privateData);
    }

    /** The same with another model. */
    public StartUpOptions withPeerToPeer(PeerToPeer value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, value, timeoutNs, privateData);
    }

    /** The same with another time-out. */
    public StartUpOptions withTimeoutNs(long value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, peerToPeer, value, privateData);
    }

    /** The same with other private data. */
    public StartUpOptions withPrivateData(PrivateData value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, peerToPeer, timeoutNs, value);
    }

    /** Throws if {@code data} does not fit beside the enhanced data. */
    static void checkFits(PrivateData data, boolean enhanced) {
        // RFC 6581 section 9 [note]: the four bytes of IRD and ORD come out of the 512.
        if (enhanced && data.length() > PrivateData.MAX_LENGTH_ENHANCED) {
            throw new IllegalArgumentException("an enhanced frame has room for " + PrivateData.MAX_LENGTH_ENHANCED
                    + " bytes of private data, and these are " + data.length());
        }
    }
}
