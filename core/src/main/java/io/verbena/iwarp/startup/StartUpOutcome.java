package io.verbena.iwarp.startup;

/** The outcome of a start-up. */
public sealed interface StartUpOutcome {

    /** There is no outcome yet. */
    record Pending() implements StartUpOutcome {
        static final Pending PENDING = new Pending();
    }

    /** Responder only: the application must accept or reject the request. */
    record RequestArrived(PeerRequest request) implements StartUpOutcome {}

    /** RDMA mode begins; all further bytes are FPDUs. */
    record Established(Negotiated negotiated) implements StartUpOutcome {}

    /**
     * The connection was rejected, by the peer (if this side is the initiator) or by this side (if it is the responder). The TCP
     * connection remains usable in streaming mode (RFC 5044 section 7.1.2 [4, 7]).
     *
     * @param privateData data of the rejecting side
     * @param depths IRD and ORD of the rejecting side, which may be those that it would have required
     */
    record Rejected(PrivateData privateData, ReadDepths depths) implements StartUpOutcome {}

    /** The start-up failed; the TCP connection must be closed. */
    record Failed(StartUpFailure failure) implements StartUpOutcome {}
}
