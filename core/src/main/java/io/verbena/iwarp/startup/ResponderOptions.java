package io.verbena.iwarp.startup;

/**
 * How a responder waits for a Request and answers it.
 *
 * @param understandsEnhanced false: behaves like a peer that implements only RFC 5044, and closes the connection on an enhanced
 *     request (RFC 6581 section 10 [7])
 * @param requestTimeoutNs maximum time to receive the whole Request; it also detects two responders (RFC 5044 section 7.1.2,
 *     rule 8)
 * @param decisionTimeoutNs maximum time for the application to decide; after that the request is rejected
 * @param rejectTimeoutNs maximum time to send a rejecting Reply
 */
public record ResponderOptions(
        boolean understandsEnhanced, long requestTimeoutNs, long decisionTimeoutNs, long rejectTimeoutNs) {

    /** Checks the time-outs. */
    public ResponderOptions {
        if (requestTimeoutNs <= 0 || decisionTimeoutNs <= 0 || rejectTimeoutNs <= 0) {
            throw new IllegalArgumentException("a responder's time-outs must be greater than 0");
        }
    }

    /** Supports RFC 6581; five seconds for each wait. */
    public static ResponderOptions defaults() {
        return withTimeoutNs(StartUpOptions.DEFAULT_TIMEOUT_NS);
    }

    /** Supports RFC 6581; the same time-out for each wait. */
    public static ResponderOptions withTimeoutNs(long timeoutNs) {
        return new ResponderOptions(true, timeoutNs, timeoutNs, timeoutNs);
    }
}
