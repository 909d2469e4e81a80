package io.verbena.ib.endpoint;

import java.util.OptionalInt;

/**
 * What the requester of a reliable connection knows about its path at one moment.
 *
 * @param outstandingPackets packets that were sent and not answered
 * @param windowPackets packets that may be sent without an answer
 * @param retransmissions packets that were sent again
 * @param timeouts how often nothing was answered in time
 * @param credits messages that may use a receive of the peer before it reports others; empty if there is no limit
 */
public record RequestFigures(
        int outstandingPackets, int windowPackets, long retransmissions, long timeouts, OptionalInt credits) {}
