package io.verbena.iwarp.startup;

/** Where a start-up has got to. */
public sealed interface StartUpOutcome {

    /** Nothing to tell yet. */
    record Pending() implements StartUpOutcome {
        static final Pending PENDING = new Pending();
    }

    /** Responder only: the application is asked. */
    record RequestArrived(PeerRequest request) implements StartUpOutcome {}

    /** Full operation begins; bytes from here on are FPDUs. */
    record Established(Negotiated negotiated) implements StartUpOutcome {}

    /**
     * The connection was rejected, by the peer (seen by an initiator) or by us (responder). The TCP connection is back
     * in streaming mode and usable (RFC 5044 section 7.1.2 [4, 7]).
     *
     * @param privateData what the rejecting side said
     * @param depths the rejecting side's IRD and ORD, which may name what it would have needed
     */
    record Rejected(PrivateData privateData, ReadDepths depths) implements StartUpOutcome {}

    /** The start-up failed; TCP is to be closed. */
    record Failed(StartUpFailure failure) implements StartUpOutcome {}
}
