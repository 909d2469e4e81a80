package io.verbena.ib.cm;

import io.verbena.base.PacketPath;

/** What the application is to know of a connection, or of a question for a datagram service. */
public sealed interface CmSignal {

    /** The connection, by the number that {@link CmAgent} gave it. */
    int connection();

    /** A peer wants to connect: {@link CmAgent#accept} or {@link CmAgent#reject} follows. */
    record Requested(int connection, PacketPath from, CmOffer offer) implements CmSignal {}

    /** The peer accepts: the queue pair is set up, then {@link CmAgent#ready} follows. */
    record Replied(int connection, CmAnswer answer) implements CmSignal {}

    /** Both ends are ready. */
    record Established(int connection) implements CmSignal {}

    /** The peer wants no connection. */
    record Rejected(int connection, int reason, byte[] info, byte[] privateData) implements CmSignal {}

    /** The peer does not answer, or the application has not answered the peer in time. */
    record TimedOut(int connection) implements CmSignal {}

    /** The connection is over. Its queue pair is not used again before {@link Over}. */
    record Disconnected(int connection) implements CmSignal {}

    /** No packet of the connection is under way any more. */
    record Over(int connection) implements CmSignal {}

    /** The peer proposes an alternate path: {@link CmAgent#answerAlternate} follows. */
    record AlternateProposed(int connection, PacketPath path) implements CmSignal {}

    /** The peer has answered our proposal: 0 if it has loaded the path. -1 if it did not answer. */
    record AlternateAnswered(int connection, int status) implements CmSignal {}

    /** A peer asks for a datagram service: {@link CmAgent#answerResolution} follows. */
    record ResolutionRequested(int connection, PacketPath from, long serviceId, byte[] privateData)
            implements CmSignal {}

    /** The answer to a question of ours; status 0 comes with a queue pair. Status -1: no answer. */
    record Resolved(int connection, int status, int queuePair, int qKey, byte[] privateData) implements CmSignal {}
}
