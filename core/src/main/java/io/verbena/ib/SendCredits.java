package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.wire.ib.Syndrome;

/**
 * End-to-end flow control as the requester sees it. Each message has a number (SSN), from 1 on. The responder's
 * acknowledgements tell how many messages it has completed and how many receives it has: together the number of the last
 * message that may use a receive (LSN). Beyond that one packet may go, when nothing else is under way: it asks for an
 * acknowledgement, and so for newer credits.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.7.7.2 (end-to-end flow control).
 */
final class SendCredits {

    private boolean unlimited;
    private int limit;
    private int messages;

    SendCredits(boolean heeded) {
        unlimited = !heeded;
    }

    /** A message begins; returns its number. One that uses no receive leaves the credits as they are. */
    int begin(boolean usesReceive) {
        messages = Psn.plus(messages, 1);
        if (!usesReceive) {
            limit = Psn.plus(limit, 1);
        }
        return messages;
    }

    /** The number that the next message will have. */
    int next() {
        return Psn.plus(messages, 1);
    }

    /** Whether the peer has a receive for a message. */
    boolean covers(int message) {
        return unlimited || Psn.distance(message, limit) <= 0;
    }

    /** An acknowledgement tells the messages that are complete and the receives that are there. */
    void onAcknowledge(int syndrome, int msn) {
        if (unlimited) {
            return;
        }
        if (!Syndrome.hasCredits(syndrome)) {
            unlimited = true;
            return;
        }
        int told = Psn.plus(msn, Syndrome.credits(syndrome));
        if (Psn.distance(told, limit) > 0) {
            limit = told;
        }
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, unlimited ? -1 : (long) limit << 24 | messages);
    }
}
