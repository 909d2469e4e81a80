package io.verbena.outcome;

import io.verbena.fixture.OrderedWork;
import java.util.List;
import java.util.stream.Stream;

/** The operations whose order {@link VerbsOrderTest} checks. */
enum Ordered {
    SEND(OrderedWork.SEND),
    WRITE(OrderedWork.WRITE),
    WRITE_IMMEDIATE(OrderedWork.WRITE),
    READ(OrderedWork.READ),
    ATOMIC(OrderedWork.ATOMIC),
    INVALIDATE(OrderedWork.INVALIDATE),
    BIND(OrderedWork.BIND),
    UNBIND(OrderedWork.UNBIND);

    private final OrderedWork work;

    Ordered(OrderedWork work) {
        this.work = work;
    }

    /** The operations that send something. */
    static List<Ordered> transmitted() {
        return Stream.of(values()).filter(each -> !each.work.local()).toList();
    }

    /** Its row and column in the table of the specification. */
    OrderedWork work() {
        return work;
    }

    /** Whether it brings a word of this side to the peer. */
    boolean brings() {
        return this == SEND || this == WRITE || this == WRITE_IMMEDIATE;
    }

    /** Whether it consumes a receive of the peer. */
    boolean received() {
        return this == SEND || this == WRITE_IMMEDIATE;
    }
}
