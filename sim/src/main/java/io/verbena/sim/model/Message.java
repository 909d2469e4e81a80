package io.verbena.sim.model;

import java.util.Optional;

/** What a receive of the other side must tell of. */
final class Message {

    /** How it completes there. */
    enum Kind {
        /** Payload goes to the receive's buffers. */
        SEND,
        /** Immediate data alone. */
        IMMEDIATE,
        /** Immediate data behind a Write, whose bytes went elsewhere. */
        WRITE_IMMEDIATE
    }

    final Kind kind;
    final Operation operation;
    final boolean solicited;
    final long immediate;
    final Optional<Zone> invalidated;
    final int invalidatedKey;

    Message(Kind kind, Operation operation, boolean solicited, long immediate, Optional<Zone> invalidated) {
        this.kind = kind;
        this.operation = operation;
        this.solicited = solicited;
        this.immediate = immediate;
        this.invalidated = invalidated;
        this.invalidatedKey = invalidated.map(zone -> zone.region().rkey()).orElse(0);
    }

    @Override
    public String toString() {
        return kind + " by " + operation;
    }
}
