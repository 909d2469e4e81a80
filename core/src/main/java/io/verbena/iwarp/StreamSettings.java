package io.verbena.iwarp;

import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
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
 * @param guesses whether the start of a TCP segment after a hole is taken for that of an FPDU, see {@code Guesses}; false
 *     without checksums, and with markers in what this side receives
 */
public record StreamSettings(
        boolean initiator,
        boolean crc,
        boolean sendMarkers,
        boolean receiveMarkers,
        int inboundReads,
        int outboundReads,
        Optional<RtrKind> rtr,
        int maxPayloadBytes,
        boolean guesses) {

    /** Without guesses. */
    public StreamSettings(
            boolean initiator,
            boolean crc,
            boolean sendMarkers,
            boolean receiveMarkers,
            int inboundReads,
            int outboundReads,
            Optional<RtrKind> rtr,
            int maxPayloadBytes) {
        this(initiator, crc, sendMarkers, receiveMarkers, inboundReads, outboundReads, rtr, maxPayloadBytes, false);
    }

    /** A guess is worth something only with a checksum, and markers show with certainty where an FPDU starts. */
    public StreamSettings {
        guesses = guesses && crc && !receiveMarkers;
    }

    /** The same, with or without guesses. */
    public StreamSettings withGuesses(boolean value) {
        return new StreamSettings(
                initiator, crc, sendMarkers, receiveMarkers, inboundReads, outboundReads, rtr, maxPayloadBytes, value);
    }

    /**
     * The result of a start-up.
     *
     * @param maxPayloadBytes largest payload of an FPDU, as configured
     * @param segmentBytes largest payload of a TCP segment (EMSS); {@link Integer#MAX_VALUE} if the segments of TCP are not visible
     */
    public static StreamSettings of(Negotiated n, int maxPayloadBytes, int segmentBytes) {
        int most = n.framing().crc()
                ? Math.min(
                        maxPayloadBytes, payloadWithin(segmentBytes, n.framing().sendMarkers()))
                : maxPayloadBytes;
        return new StreamSettings(
                n.initiator(),
                n.framing().crc(),
                n.framing().sendMarkers(),
                n.framing().receiveMarkers(),
                n.ird(),
                n.ord(),
                n.rtr(),
                most);
    }

    // An FPDU fits in a segment so that a receiver can place it after a hole, which needs checksums. Without checksums,
    // FPDUs are as long as over a TCP whose segments are not visible.
    // RFC 5044 section 4.5 [1, 2, 3]: MULPDU follows from the EMSS. The untagged header of DDP is the longest one.
    private static int payloadWithin(int segmentBytes, boolean markers) {
        return segmentBytes == Integer.MAX_VALUE
                ? Integer.MAX_VALUE
                : FpduHeader.mulpdu(segmentBytes, markers) - DdpUntagged.LENGTH;
    }
}
