package io.verbena.sim.model;

import java.util.Optional;

/** A message that must complete a receive of the other side. */
final class Message {

    /** How it completes there. */
    enum Kind {
        /** Payload for the buffers of the receive. */
        SEND,
        /** Immediate data only. */
        IMMEDIATE,
        /** Immediate data after a Write to other memory. */
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
