package io.verbena.port;

/**
 * What the carrier of a stream knows about its path at one moment.
 *
 * @param roundTripNs smoothed round-trip time; 0 before the first measurement
 * @param congestionWindowBytes what may be in the network, as far as the path permits
 * @param sendWindowBytes what the peer permits to send now, including what is in the network
 * @param receiveWindowBytes what this side permits the peer to send now
 * @param inFlightBytes what is in the network
 * @param retransmissions segments that were sent again
 */
public record CarrierFigures(
        long roundTripNs,
        long congestionWindowBytes,
        long sendWindowBytes,
        long receiveWindowBytes,
        long inFlightBytes,
        long retransmissions) {}
