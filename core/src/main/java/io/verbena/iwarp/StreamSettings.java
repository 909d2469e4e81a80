package io.verbena.iwarp;

import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.RtrKind;
import java.util.Optional;

/**
 * What a stream in RDMA mode was agreed to be.
 *
 * @param initiator whether we sent the MPA Request; the other side may not send before our first FPDU
 * @param crc whether both directions carry CRCs
 * @param sendMarkers whether the peer asked for markers in what we send
 * @param receiveMarkers whether we asked for markers in what we receive
 * @param inboundReads Reads and atomics that the peer may have outstanding (IRD)
 * @param outboundReads Reads and atomics that we may have outstanding (ORD)
 * @param rtr the RTR frame that is the initiator's first FPDU (RFC 6581), if any
 * @param maxPayloadBytes largest payload of an FPDU that we send
 */
public record StreamSettings(
        boolean initiator,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int inboundReads,
        int outboundReads,
        Optional<RtrKind> rtr,
        int maxPayloadBytes) {

    /** As the start-up negotiated. */
    public static StreamSettings of(Negotiated n, int maxPayloadBytes) {
        return new StreamSettings(
                n.initiator(),
                n.crc(),
                n.sendMarkers(),
                n.receiveMarkers(),
                n.ird(),
                n.ord(),
                n.rtr(),
                maxPayloadBytes);
    }
}
