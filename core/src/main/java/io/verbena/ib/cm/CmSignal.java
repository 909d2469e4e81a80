package io.verbena.ib.cm;

import io.verbena.base.PacketPath;

/** An event of a connection, or of the resolution of a datagram service, for the application. */
public sealed interface CmSignal {

    /** Number of the connection or resolution, which {@link CmAgent} assigned. */
    int connection();

    /** A peer requests a connection: call {@link CmAgent#accept} or {@link CmAgent#reject}. */
    record Requested(int connection, PacketPath from, CmOffer offer) implements CmSignal {}

    /** The peer accepts: set up the queue pair, then call {@link CmAgent#ready}. */
    record Replied(int connection, CmAnswer answer) implements CmSignal {}

    /** The connection is established. */
    record Established(int connection) implements CmSignal {}

    /** The peer rejects the connection. */
    record Rejected(int connection, int reason, byte[] info, byte[] privateData) implements CmSignal {}

    /** The peer does not answer, or the application did not answer the peer in time. */
    record TimedOut(int connection) implements CmSignal {}

    /** The network cannot deliver the request: there is no port at the address. */
    record Unreachable(int connection) implements CmSignal {}

    /** The connection has ended. Its queue pair must not be reused before {@link Over}. */
    record Disconnected(int connection) implements CmSignal {}

    /** TIMEWAIT has elapsed: no packet of the connection can arrive any more. */
    record Over(int connection) implements CmSignal {}

    /** The peer proposes an alternate path: call {@link CmAgent#answerAlternate}. */
    record AlternateProposed(int connection, PacketPath path) implements CmSignal {}

    /** The peer answered a proposal of this side: 0 if it has loaded the path, -1 if it did not answer. */
    record AlternateAnswered(int connection, int status) implements CmSignal {}

    /** A peer requests the queue pair of a datagram service: call {@link CmAgent#answerResolution}. */
    record ResolutionRequested(int connection, PacketPath from, long serviceId, byte[] privateData)
            implements CmSignal {}

    /**
     * The result of a resolution of this side: status 0 with a queue pair, another status of the peer, or -1 without an
     * answer.
     */
    record Resolved(int connection, int status, int queuePair, int qKey, byte[] privateData) implements CmSignal {}
}
