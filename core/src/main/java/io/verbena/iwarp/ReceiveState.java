package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import java.util.Optional;

/** Receive progress: the next message number of each queue, and whether the RTR frame or its answer is still to arrive. */
final class ReceiveState {

    /** Next MSN on queue 0. */
    int sendMsn = 1;
    /** Next MSN on queue 1. */
    int readMsn = 1;
    /** Next MSN on queue 3. */
    int atomicMsn = 1;
    /** Whether no FPDU was delivered yet. */
    boolean first = true;
    /** Whether the Read Response to this side's RTR frame is still to arrive. */
    boolean rtrAnswerPending;

    private final boolean expectsRtrSend;
    private final boolean expectsRtrRead;

    ReceiveState(StreamSettings settings) {
        boolean responder = !settings.initiator();
        boolean rtrIsRead = settings.rtr().equals(Optional.of(RtrKind.READ));
        rtrAnswerPending = settings.initiator() && rtrIsRead;
        expectsRtrRead = responder && rtrIsRead;
        expectsRtrSend = responder && settings.rtr().equals(Optional.of(RtrKind.SEND));
    }

    /** Whether the RTR frame is a Send and is still to arrive. */
    boolean rtrSendPending() {
        // RFC 6581 section 5 [note]: the Send that is an RTR frame is not delivered to the application and uses no
        // receive.
        return first && expectsRtrSend;
    }

    /** Whether this Send is the RTR frame. */
    boolean isRtrSend(Ulpdu u) {
        return u.payloadLength() == 0 && u.last() && rtrSendPending();
    }

    /** Whether this may be the RTR frame: a Read of length zero, which is answered even when no Reads were agreed. */
    boolean mayBeRtrRead(Ulpdu u) {
        return first && expectsRtrRead && u.opcode() == RdmapOpcode.READ_REQUEST;
    }

    /** Whether this Read Response answers the RTR frame of this side, which has left. */
    boolean answersRtr(Ulpdu u) {
        return rtrAnswerPending && u.payloadLength() == 0 && u.last();
    }

    long stateDigest(long digest, boolean inWrite) {
        long d = Digest.mix(digest, (long) sendMsn << 32 | readMsn);
        return Digest.mix(Digest.mix(d, atomicMsn), Digest.flags(inWrite, first, rtrAnswerPending));
    }
}
