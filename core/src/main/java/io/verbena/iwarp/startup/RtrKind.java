package io.verbena.iwarp.startup;

import java.util.List;

/**
 * The messages of length zero by which an initiator in peer-to-peer mode indicates that it is ready to receive (RFC 6581
 * section 9.2).
 */
public enum RtrKind {
    /** A zero-length Send: control flag B. */
    SEND,
    /** A zero-length RDMA Write: control flag C. */
    WRITE,
    /** A zero-length RDMA Read, which is answered by a zero-length Read Response: control flag D. */
    READ;

    /** The order of preference on both sides: a Write costs the receiver nothing, a Read costs it a response. */
    static final List<RtrKind> BY_PREFERENCE = List.of(WRITE, READ, SEND);
}
