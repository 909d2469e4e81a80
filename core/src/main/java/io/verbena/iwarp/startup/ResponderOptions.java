package io.verbena.iwarp.startup;

/**
 * How a responder waits, before it knows anything about its peer.
 *
 * @param understandsEnhanced false: behaves like an RFC 5044 peer and closes on an enhanced request (RFC 6581 section
 *     10 [7])
 * @param requestTimeoutNs how long the whole Request may take to arrive; also finds two responders (RFC 5044 section
 *     7.1.2, rule 8)
 * @param decisionTimeoutNs how long the application may think; after that the request is rejected
 * @param rejectTimeoutNs how long a rejecting Reply may take to be handed out
 */
public record ResponderOptions(
        boolean understandsEnhanced, long requestTimeoutNs, long decisionTimeoutNs, long rejectTimeoutNs) {

    /** Checks the time-outs. */
    public ResponderOptions {
        if (requestTimeoutNs <= 0 || decisionTimeoutNs <= 0 || rejectTimeoutNs <= 0) {
            throw new IllegalArgumentException("a responder's time-outs are above zero");
        }
    }

    /** Understands RFC 6581; five seconds for each wait. */
    public static ResponderOptions defaults() {
        return withTimeoutNs(StartUpOptions.DEFAULT_TIMEOUT_NS);
    }

    /** Understands RFC 6581; the same time-out for each wait. */
    public static ResponderOptions withTimeoutNs(long timeoutNs) {
        return new ResponderOptions(true, timeoutNs, timeoutNs, timeoutNs);
    }
}
