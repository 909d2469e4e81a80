package io.verbena.iwarp;

import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.RtrKind;
import java.util.Optional;

/**
 * The negotiated properties of a stream in RDMA mode.
 *
 * @param initiator whether this side sent the MPA Request; the responder must not send before the initiator's first FPDU
 * @param crc whether both directions carry CRCs
 * @param sendMarkers whether the peer requires markers in what this side sends
 * @param receiveMarkers whether this side requires markers in what it receives
 * @param inboundReads Reads and atomics that the peer may have outstanding (IRD)
 * @param outboundReads Reads and atomics that this side may have outstanding (ORD)
 * @param rtr the RTR frame that is the initiator's first FPDU (RFC 6581), if any
 * @param maxPayloadBytes largest payload of an FPDU that this side sends
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

    /** The result of a start-up. */
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
