package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;

/**
 * Distinguishes a peer that closes the connection from one whose process died; both end in a FIN at an FPDU boundary.
 * By their first FPDUs two Verbena sides agree that each sends a farewell before its FIN. A FIN without a farewell then
 * means that the process died.
 *
 * <pre>
 *   initiator                                  responder
 *     RTR frame, an empty Write to HELLO  --->
 *                                         &lt;---   empty Write to HELLO, its first FPDU
 *     ...                                        ...
 *     empty Write to FAREWELL, FIN        --->
 *                                         &lt;---   empty Write to FAREWELL, FIN
 * </pre>
 *
 * The exchange uses no private data and does not affect other implementations: a Write of length zero accesses no buffer, so
 * its address has no meaning (RFC 5041 section 5.2 [11]), and another kind of responder receives the RTR frame that it asked
 * for. If the peer's first FPDU is not a HELLO, no farewell is expected from it and none is sent to it.
 *
 * <p>A connection that survives its transport is closed in three steps, because a farewell can be lost with its stream,
 * because a FIN can be that of a process between the sides, and because a side that has sent its FIN can neither answer
 * nor acknowledge what the peer has still to send:
 *
 * <pre>
 *   empty Write to FAREWELL  ---&gt;               everything that this side has posted is complete
 *                           &lt;---  messages
 *   answers, FAREWELL again  ---&gt;
 *                           &lt;---  CONFIRMATION  the same for the other side, which has the farewell of this one
 *   CONFIRMATION, FIN        ---&gt;               this side has that of the other one
 *                           &lt;---  FIN
 * </pre>
 *
 * A confirmation is a farewell, too. A side that has the farewell of its peer and has completed its own work has
 * closed the connection, whatever becomes of the stream. Without a confirmation it stays for a time, in case the peer
 * returns.
 */
public final class FarewellExchange {

    /** "VBNHELLO". */
    static final long HELLO = 0x56424e48454c4c4fL;

    /** "VBNADIEU". */
    static final long FAREWELL = 0x56424e4144494555L;

    /** "VBNHEARD". */
    static final long CONFIRMATION = 0x56424e4845415244L;

    private enum Peer {
        /** The peer has sent no FPDU yet. */
        UNKNOWN,
        SENDS_FAREWELLS,
        SENDS_NONE
    }

    private final boolean initiator;
    private boolean on;
    private boolean confirmed;
    private boolean closing;
    private boolean farewellReceived;
    private boolean confirmationReceived;
    private boolean peerCloses;
    private boolean abandoned;
    private Peer peer = Peer.UNKNOWN;

    FarewellExchange(boolean initiator) {
        this.initiator = initiator;
    }

    /**
     * Switches the exchange on, before the first FPDU of either side.
     *
     * @param rtrIsWrite whether the agreed RTR frame is a Write; without one there is no HELLO and no farewell
     * @param confirmed whether the sides confirm farewells
     */
    void begin(boolean rtrIsWrite, boolean confirmed) {
        on = rtrIsWrite;
        this.confirmed = rtrIsWrite && confirmed;
    }

    /** Address of the RTR frame where that is an empty Write. */
    long rtrAddress() {
        return on ? HELLO : 0;
    }

    /** An FPDU of the peer was delivered. */
    void onDelivered(Ulpdu u) {
        if (!on) {
            return;
        }
        boolean empty = u.opcode() == RdmapOpcode.WRITE && u.payloadLength() == 0 && u.last();
        if (peer == Peer.UNKNOWN) {
            peer = empty && u.to() == HELLO ? Peer.SENDS_FAREWELLS : Peer.SENDS_NONE;
        }
        confirmationReceived = confirmed && empty && u.to() == CONFIRMATION;
        farewellReceived = confirmationReceived || empty && u.to() == FAREWELL;
        if (farewellReceived && confirmed) {
            peerCloses = true;
            closing = true;
        }
    }

    /** A message with payload was delivered, which is not the first one of the peer. */
    void onMessage() {
        confirmationReceived = false;
        farewellReceived = false;
    }

    /** Whether a responder must send the HELLO, before anything else. */
    boolean helloDue(TransmitState state) {
        return !initiator && peer == Peer.SENDS_FAREWELLS && !state.helloSent;
    }

    /** The carrier of the stream knows that the process of the peer has ended without closing it. */
    void onAbandoned() {
        abandoned = true;
    }

    /** This side closes gracefully when all its work is done. */
    void onClosing() {
        closing = true;
    }

    /** Whether a farewell precedes the FIN. While an initiator has received nothing, the peer may expect one. */
    private boolean farewellRequired() {
        return on && closing && (peer == Peer.SENDS_FAREWELLS || initiator && peer == Peer.UNKNOWN);
    }

    /** Whether the farewell must be sent when everything else has left. */
    boolean farewellDue(TransmitState state) {
        return farewellRequired() && !(peerComplete() ? state.confirmationLast : state.farewellLast);
    }

    /** Whether the peer closes the connection, and waits for this side to do the same before it sends its FIN. */
    boolean peerCloses() {
        return peerCloses;
    }

    /** Whether the last FPDU of the peer was its farewell, which this side has to confirm: all its work is complete. */
    boolean peerComplete() {
        return confirmed && farewellReceived;
    }

    /** Whether the last FPDU of the peer says that it has the farewell of this side. */
    boolean peerConfirms() {
        return confirmationReceived;
    }

    /** Whether a FIN of either side has to wait for the peer's confirmation: nothing can be acknowledged after it. */
    boolean awaitsPeer() {
        return confirmed && peer != Peer.SENDS_NONE && !confirmationReceived;
    }

    /** At the peer's FIN: whether its farewell is missing. */
    boolean farewellMissing() {
        return abandoned || awaitsPeer() || peer == Peer.SENDS_FAREWELLS && !farewellReceived;
    }

    long stateDigest(long digest) {
        return Digest.mix(
                Digest.mix(digest, peer.ordinal()),
                Digest.flags(on, confirmed, closing, farewellReceived, confirmationReceived, peerCloses, abandoned));
    }
}
