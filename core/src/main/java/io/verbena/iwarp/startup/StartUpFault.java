package io.verbena.iwarp.startup;

import java.util.Optional;

/** Every way in which a start-up can fail, with MPA's error code for it (RFC 5044 section 8, RFC 6581 section 8). */
public enum StartUpFault {
    /** The first bytes are not those of an MPA frame. */
    WRONG_KEY(4, "the peer does not speak MPA: its first bytes are not the key of a start-up frame"),
    /** An initiator received a Request. */
    TWO_INITIATORS(4, "both sides started as MPA initiators: the peer sent a Request where a Reply was due"),
    /** A responder received a Reply. */
    REPLY_UNASKED(4, "the peer sent an MPA Reply to a responder, which had sent no Request"),
    /** The Reply arrived before the Request was sent. */
    REPLY_BEFORE_REQUEST(4, "the peer replied before the MPA Request had been sent"),
    /** Neither revision 1 nor 2. */
    UNSUPPORTED_REVISION(4, "the peer uses an MPA revision other than 1 and 2"),
    /** PD_Length above 512. */
    PRIVATE_DATA_TOO_LONG(4, "the peer announces more than 512 bytes of private data"),
    /** S without its four bytes of IRD and ORD. */
    ENHANCED_DATA_MISSING(4, "the peer's frame is marked as enhanced and has no IRD and ORD"),
    /** An enhanced request to a side that does not support it. */
    ENHANCED_NOT_UNDERSTOOD(4, "the peer requests the enhanced start-up, which this side does not support"),
    /** An accepting Reply without S to a Request with S. */
    REPLY_NOT_ENHANCED(
            4, "the peer accepted an enhanced request by an unenhanced reply; an unenhanced request may work"),
    /** A Reply with S to a Request without. */
    REPLY_ENHANCED_UNASKED(4, "the peer answered an unenhanced request by an enhanced reply"),
    /** Bytes after the Request. */
    BYTES_BEFORE_REPLY(4, "the initiator sent bytes after its MPA Request without waiting for the Reply"),
    /** FIN or RST. */
    PEER_CLOSED(1, "the TCP connection ended during the MPA start-up"),
    /** A deadline passed. */
    TIMED_OUT(1, "the MPA start-up took too long"),
    /** An error of this side. */
    LOCAL_CATASTROPHIC(5, "an error on this side ended the start-up"),
    /** The peer requires more outstanding Reads than this side can serve. */
    INSUFFICIENT_IRD(6, "the peer will have more Reads outstanding than this side can serve"),
    /** No common model or RTR message. */
    NO_MATCHING_RTR(7, "the two sides have no connection model or RTR message in common");

    private final int mpaCode;
    private final String sentence;

    StartUpFault(int mpaCode, String sentence) {
        this.mpaCode = mpaCode;
        this.sentence = sentence;
    }

    /** MPA's error code: 1 connection lost, 4 invalid start-up frame, 5 to 7 as in {@link StartUpTerminate}. */
    public int mpaCode() {
        return mpaCode;
    }

    /** What happened, for people. */
    public String sentence() {
        return sentence;
    }

    /** The Terminate message that reports the fault after the Reply; before it none can be sent. */
    Optional<StartUpTerminate> terminateAfterReply() {
        return switch (this) {
            case LOCAL_CATASTROPHIC -> Optional.of(StartUpTerminate.LOCAL_CATASTROPHIC);
            case INSUFFICIENT_IRD -> Optional.of(StartUpTerminate.INSUFFICIENT_IRD);
            case NO_MATCHING_RTR -> Optional.of(StartUpTerminate.NO_MATCHING_RTR);
            default -> Optional.empty();
        };
    }
}
