package io.verbena.iwarp.startup;

import java.util.Optional;

/**
 * Why a start-up failed and how to leave. The TCP connection is closed in any case, after the Terminate if there is
 * one.
 *
 * @param fault the kind
 * @param sentence what happened, for a person
 * @param terminate the last word to send, as an FPDU framed according to {@code framing}
 * @param framing markers and CRC of that FPDU; present exactly if {@code terminate} is
 */
public record StartUpFailure(
        StartUpFault fault, String sentence, Optional<StartUpTerminate> terminate, Optional<Negotiated> framing) {

    /** A failure before any FPDU could be sent: close without a word. */
    static StartUpFailure silent(StartUpFault fault, String detail) {
        return new StartUpFailure(fault, sentence(fault, detail), Optional.empty(), Optional.empty());
    }

    /** A failure after the Reply: full operation has begun, so a Terminate says why. */
    static StartUpFailure afterReply(StartUpFault fault, String detail, Negotiated framing) {
        return new StartUpFailure(fault, sentence(fault, detail), fault.terminateAfterReply(), Optional.of(framing));
    }

    private static String sentence(StartUpFault fault, String detail) {
        return detail.isEmpty() ? fault.sentence() : fault.sentence() + ": " + detail;
    }
}
