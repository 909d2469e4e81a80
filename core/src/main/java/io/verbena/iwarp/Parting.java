package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;

/**
 * Tells a peer that closes from one whose process died: both end in a FIN on an FPDU's edge. Two Verbenas agree, by the
 * first FPDU of each, that each says farewell before its FIN; a FIN without it is then the end of a process.
 *
 * <pre>
 *   initiator                                  responder
 *     RTR frame, an empty Write at HELLO  --->
 *                                         <---   empty Write at HELLO, its first FPDU
 *     ...                                        ...
 *     empty Write at FAREWELL, FIN        --->
 *                                         <---   empty Write at FAREWELL, FIN
 * </pre>
 *
 * No byte of it is private data, and it changes nothing for another implementation: a Write of length zero touches no buffer,
 * so its address has no meaning (RFC 5041 section 5.2 [11]), and a responder of another kind gets the RTR frame that it
 * asked for. A peer whose first FPDU is not this greeting is a stranger: nothing is expected of it, nothing more is said to it.
 */
final class Parting {

    /** "VBNHELLO". */
    static final long HELLO = 0x56424e48454c4c4fL;

    /** "VBNADIEU". */
    static final long FAREWELL = 0x56424e4144494555L;

    private enum Peer {
        UNKNOWN,
        SPEAKS,
        STRANGER
    }

    private final boolean initiator;
    private boolean on;
    private boolean closing;
    private boolean farewellHeard;
    private Peer peer = Peer.UNKNOWN;

    Parting(boolean initiator) {
        this.initiator = initiator;
    }

    /**
     * From now on; before the first FPDU of either side.
     *
     * @param rtrIsWrite whether the RTR frame was agreed to be a Write; without one there is no greeting
     */
    void begin(boolean rtrIsWrite) {
        on = rtrIsWrite;
    }

    /** Address of the RTR frame where that is an empty Write. */
    long rtrTo() {
        return on ? HELLO : 0;
    }

    /** An FPDU of the peer was delivered. */
    void heard(Ulpdu u) {
        if (!on) {
            return;
        }
        boolean empty = u.opcode() == RdmapOpcode.WRITE && u.payloadLength() == 0 && u.last();
        if (peer == Peer.UNKNOWN) {
            peer = empty && u.to() == HELLO ? Peer.SPEAKS : Peer.STRANGER;
        }
        farewellHeard = empty && u.to() == FAREWELL;
    }

    /** Whether a responder owes the greeting, before anything else. */
    boolean owesHello(TransmitState state) {
        return !initiator && peer == Peer.SPEAKS && !state.helloSent;
    }

    /** This side closes in good order once all is done. */
    void closing() {
        closing = true;
    }

    /** Whether a farewell goes out before the FIN. Where an initiator has heard nothing yet, the peer may expect one. */
    private boolean wanted() {
        return on && closing && (peer == Peer.SPEAKS || initiator && peer == Peer.UNKNOWN);
    }

    /** Whether the farewell is to be sent once all else has left. */
    boolean owesFarewell(TransmitState state) {
        return wanted() && !state.farewellLast;
    }

    /** At the peer's FIN: whether it should have said farewell and did not. */
    boolean missing() {
        return peer == Peer.SPEAKS && !farewellHeard;
    }

    long stateDigest(long digest) {
        return on ? Digest.mix(digest, peer.ordinal() * 4L + (closing ? 2 : 0) + (farewellHeard ? 1 : 0)) : digest;
    }
}
