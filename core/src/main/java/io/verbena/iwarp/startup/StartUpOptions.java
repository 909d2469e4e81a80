package io.verbena.iwarp.startup;

/**
 * The parameters of one side for the start-up of a connection: of an initiator for its Request, of a responder for its accepting
 * Reply.
 *
 * @param wantsMarkersReceived M: the peer must send markers to this side (RFC 5044 section 7.1.1 [6])
 * @param wantsCrc C: this side requires CRCs; they are used if either side requires them
 * @param enhanced an initiator sends revision 2 with IRD, ORD and flags (RFC 6581), otherwise revision 1; a responder
 *     answers in the format of the request and ignores this
 * @param depths the number of Reads that this side serves, and that it requests to have outstanding
 * @param peerToPeer the model and the RTR messages; {@link PeerToPeer} has their meaning for either role
 * @param timeoutNs maximum duration: for an initiator from the start to the Reply, for a responder until its Reply was taken
 *     for sending
 * @param privateData data for the peer's application; at most 508 bytes in an enhanced frame
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

    /** Checks that the parameters are compatible. */
    public StartUpOptions {
        if (timeoutNs <= 0) {
            throw new IllegalArgumentException(
                    "the time-out of a start-up must be greater than 0, not " + timeoutNs + " ns");
        }
        if (peerToPeer.requested() && !peerToPeer.offersAny()) {
            // RFC 6581 section 9.2 [2]: each supported RTR message is offered, and at least one must be.
            throw new IllegalArgumentException(
                    "peer-to-peer requires at least one RTR message that this side supports");
        }
        if (peerToPeer.requested() && !enhanced) {
            // RFC 6581 section 6 [3]: each enhanced feature requires revision 2.
            throw new IllegalArgumentException("peer-to-peer requires the enhanced start-up, revision 2");
        }
        if (enhanced) {
            checkFits(privateData, true);
        }
    }

    /** Revision 2, no markers, CRC, 16 Reads in each direction, client-server, five seconds, no private data. */
    public static StartUpOptions defaults() {
        return new StartUpOptions(
                false, true, true, new ReadDepths(16, 16), PeerToPeer.NONE, DEFAULT_TIMEOUT_NS, PrivateData.EMPTY);
    }

    /** These options with another M. */
    public StartUpOptions withMarkersReceived(boolean value) {
        return new StartUpOptions(value, wantsCrc, enhanced, depths, peerToPeer, timeoutNs, privateData);
    }

    /** These options with another C. */
    public StartUpOptions withCrc(boolean value) {
        return new StartUpOptions(wantsMarkersReceived, value, enhanced, depths, peerToPeer, timeoutNs, privateData);
    }

    /** These options with revision 2 (true) or 1. */
    public StartUpOptions withEnhanced(boolean value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, value, depths, peerToPeer, timeoutNs, privateData);
    }

    /** These options with other read depths. */
    public StartUpOptions withDepths(int ird, int ord) {
        return new StartUpOptions(
                wantsMarkersReceived, wantsCrc, enhanced, new ReadDepths(ird, ord), peerToPeer, timeoutNs, privateData);
    }

    /** These options with another model. */
    public StartUpOptions withPeerToPeer(PeerToPeer value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, value, timeoutNs, privateData);
    }

    /** These options with another time-out. */
    public StartUpOptions withTimeoutNs(long value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, peerToPeer, value, privateData);
    }

    /** These options with other private data. */
    public StartUpOptions withPrivateData(PrivateData value) {
        return new StartUpOptions(wantsMarkersReceived, wantsCrc, enhanced, depths, peerToPeer, timeoutNs, value);
    }

    /** Throws if the frame cannot carry {@code data} in addition to the enhanced data. */
    static void checkFits(PrivateData data, boolean enhanced) {
        // RFC 6581 section 9 [note]: the four bytes of IRD and ORD are part of the 512.
        if (enhanced && data.length() > PrivateData.MAX_LENGTH_ENHANCED) {
            throw new IllegalArgumentException("private data has " + data.length()
                    + " bytes; the maximum in an enhanced frame is " + PrivateData.MAX_LENGTH_ENHANCED);
        }
    }
}
