package io.verbena.iwarp.startup;

import java.util.List;

/**
 * The messages, all of length zero, that may tell a responder in peer-to-peer mode that the initiator is ready to
 * receive (RFC 6581 section 9.2).
 */
public enum RtrKind {
    /** A zero-length Send: control flag B. */
    SEND,
    /** A zero-length RDMA Write: control flag C. */
    WRITE,
    /** A zero-length RDMA Read, which is answered by a zero-length Read Response: control flag D. */
    READ;

    /** The order in which both our sides choose: a Write costs the receiver nothing, a Read one answer. */
    static final List<RtrKind> BY_PREFERENCE = List.of(WRITE, READ, SEND);
}
