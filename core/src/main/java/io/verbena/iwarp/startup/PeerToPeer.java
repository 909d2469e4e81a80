package io.verbena.iwarp.startup;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * The connection model and its RTR messages: control flags A to D of RFC 6581 section 9.2.
 *
 * <p>In the options of an initiator: what it requests and can send. In the options of a responder that accepts: what it can
 * receive, where {@link #NONE} means "no preference" because the request determines the model.
 *
 * @param requested flag A: peer-to-peer; false is the client-server model, where the initiator's first message may be any
 * @param send flag B: a zero-length Send is supported
 * @param write flag C: a zero-length RDMA Write is supported
 * @param read flag D: a zero-length RDMA Read is supported
 */
public record PeerToPeer(boolean requested, boolean send, boolean write, boolean read) {
    /** The client-server model. */
    public static final PeerToPeer NONE = new PeerToPeer(false, false, false, false);
    /** Peer-to-peer with all three RTR messages. */
    public static final PeerToPeer ANY = new PeerToPeer(true, true, true, true);

    /** Refuses RTR messages without the model. */
    public PeerToPeer {
        // RFC 6581 section 9.2 [12]: with A clear the flags B, C and D are clear too.
        if (!requested && (send || write || read)) {
            throw new IllegalArgumentException("RTR messages exist only in the peer-to-peer model");
        }
    }

    /** Peer-to-peer with the given RTR messages. */
    public static PeerToPeer of(RtrKind... kinds) {
        boolean send = false;
        boolean write = false;
        boolean read = false;
        for (RtrKind kind : kinds) {
            send |= kind == RtrKind.SEND;
            write |= kind == RtrKind.WRITE;
            read |= kind == RtrKind.READ;
        }
        return new PeerToPeer(true, send, write, read);
    }

    /** The flags as received: B, C and D are valid only with A. */
    static PeerToPeer received(boolean a, boolean b, boolean c, boolean d) {
        // RFC 6581 section 9.2 [13]: a receiver that sees A clear ignores B, C and D.
        return a ? new PeerToPeer(true, b, c, d) : NONE;
    }

    /** Whether {@code kind} is in the set. */
    public boolean offers(RtrKind kind) {
        return switch (kind) {
            case SEND -> send;
            case WRITE -> write;
            case READ -> read;
        };
    }

    /** Whether any RTR message is in the set. */
    public boolean offersAny() {
        return send || write || read;
    }

    /** The preferred kind in this set that {@code able} accepts. */
    Optional<RtrKind> firstOffered(Predicate<RtrKind> able) {
        return RtrKind.BY_PREFERENCE.stream().filter(this::offers).filter(able).findFirst();
    }
}
