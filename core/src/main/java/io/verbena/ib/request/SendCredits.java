package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.ib.packet.Psn;
import io.verbena.wire.ib.Syndrome;
import java.util.OptionalInt;

/**
 * End-to-end flow control of the requester. Each message has a number (SSN), starting with 1. Acknowledgements report
 * the number of completed messages and of posted receives; their sum is the number of the last message that may use a
 * receive (LSN). Beyond it, one packet may be sent while no other is outstanding. It requests an acknowledgement, which
 * reports new credits.
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

    /** Assigns the number of a new message. A message that uses no receive does not consume a credit. */
    int begin(boolean usesReceive) {
        messages = Psn.plus(messages, 1);
        if (!usesReceive) {
            limit = Psn.plus(limit, 1);
        }
        return messages;
    }

    /** The number of the next message. */
    int next() {
        return Psn.plus(messages, 1);
    }

    /** Messages that may use a receive of the peer before it reports others; empty if there is no limit. Any thread. */
    OptionalInt left() {
        return unlimited ? OptionalInt.empty() : OptionalInt.of(Math.max(0, Psn.distance(limit, messages)));
    }

    /** Whether the peer has a receive for a message. */
    boolean covers(int message) {
        return unlimited || Psn.distance(message, limit) <= 0;
    }

    /** An acknowledgement reports completed messages and posted receives. */
    void onAcknowledge(int syndrome, int msn) {
        if (unlimited) {
            return;
        }
        if (!Syndrome.hasCredits(syndrome)) {
            unlimited = true;
            return;
        }
        int reported = Psn.plus(msn, Syndrome.credits(syndrome));
        if (Psn.distance(reported, limit) > 0) {
            limit = reported;
        }
    }

    long stateDigest(long digest) {
        return Digest.mix(digest, unlimited ? -1 : (long) limit << 24 | messages);
    }
}
