package io.verbena.iwarp.startup;

import java.util.Optional;

/** Every way in which a start-up can fail, with MPA's error code for it (RFC 5044 section 8, RFC 6581 section 8). */
public enum StartUpFault {
    /** The first bytes are not MPA's. */
    WRONG_KEY(4, "the peer does not speak MPA: its first bytes are not the key of a start-up frame"),
    /** An initiator received a Request. */
    TWO_INITIATORS(4, "both sides started as MPA initiators: the peer sent a Request where a Reply was due"),
    /** A responder received a Reply. */
    REPLY_UNASKED(4, "the peer sent an MPA Reply to a responder, which had asked for nothing"),
    /** The Reply was there before the Request had left. */
    REPLY_BEFORE_REQUEST(4, "the peer replied before the MPA Request had been sent"),
    /** Neither revision 1 nor 2. */
    UNSUPPORTED_REVISION(4, "the peer uses an MPA revision other than 1 and 2"),
    /** PD_Length above 512. */
    PRIVATE_DATA_TOO_LONG(4, "the peer announces more than 512 bytes of private data"),
    /** S without its four bytes. */
    ENHANCED_DATA_MISSING(4, "the peer's frame claims to be enhanced and has no room for IRD and ORD"),
    /** An enhanced request where that is switched off. */
    ENHANCED_NOT_UNDERSTOOD(4, "the peer asks for the enhanced start-up, which this side does not do"),
    /** An accepting Reply without S to a Request with S. */
    REPLY_NOT_ENHANCED(
            4, "the peer accepted an enhanced request by an unenhanced reply; an unenhanced request may work"),
    /** A Reply with S to a Request without. */
    REPLY_ENHANCED_UNASKED(4, "the peer answered an unenhanced request by an enhanced reply"),
    /** Bytes behind the Request. */
    BYTES_BEFORE_REPLY(4, "the initiator sent bytes behind its MPA Request without waiting for the Reply"),
    /** FIN or RST. */
    PEER_CLOSED(1, "the TCP connection ended during the MPA start-up"),
    /** A deadline passed. */
    TIMED_OUT(1, "the MPA start-up took too long"),
    /** Something on our side. */
    LOCAL_CATASTROPHE(5, "an error on this side ended the start-up"),
    /** The peer will have more Reads outstanding than we can serve. */
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

    /** What happened, for a person. */
    public String sentence() {
        return sentence;
    }

    /** The Terminate that tells the peer, if the exchange had come so far that one can be sent. */
    Optional<StartUpTerminate> terminateAfterReply() {
        return switch (this) {
            case LOCAL_CATASTROPHE -> Optional.of(StartUpTerminate.LOCAL_CATASTROPHE);
            case INSUFFICIENT_IRD -> Optional.of(StartUpTerminate.INSUFFICIENT_IRD);
            case NO_MATCHING_RTR -> Optional.of(StartUpTerminate.NO_MATCHING_RTR);
            default -> Optional.empty();
        };
    }
}
