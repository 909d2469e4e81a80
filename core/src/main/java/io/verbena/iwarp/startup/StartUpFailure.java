package io.verbena.iwarp.startup;

import java.util.Optional;

/**
 * Why a start-up failed. The TCP connection is closed in any case, after the Terminate message if there is one.
 *
 * @param fault the kind
 * @param sentence what happened, for people
 * @param terminate the Terminate message to send, as an FPDU framed according to {@code framing}
 * @param framing markers and CRC of that FPDU; present if and only if {@code terminate} is
 */
public record StartUpFailure(
        StartUpFault fault,
        String sentence,
        Optional<StartUpTerminate> terminate,
        Optional<Negotiated.Framing> framing) {

    /** A failure before any FPDU could be sent: the connection is closed without a message. */
    static StartUpFailure silent(StartUpFault fault, String detail) {
        return new StartUpFailure(fault, sentence(fault, detail), Optional.empty(), Optional.empty());
    }

    /** A failure after the Reply: RDMA mode has begun, so a Terminate message reports the reason. */
    static StartUpFailure afterReply(StartUpFault fault, String detail, Negotiated.Framing framing) {
        return new StartUpFailure(fault, sentence(fault, detail), fault.terminateAfterReply(), Optional.of(framing));
    }

    private static String sentence(StartUpFault fault, String detail) {
        return detail.isEmpty() ? fault.sentence() : fault.sentence() + ": " + detail;
    }
}
