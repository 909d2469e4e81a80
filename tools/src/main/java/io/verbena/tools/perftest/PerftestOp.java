package io.verbena.tools.perftest;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A program of perftest; {@code ib_} precedes its name. */
public enum PerftestOp {
    WRITE_BW,
    READ_BW,
    SEND_BW,
    WRITE_LAT,
    READ_LAT,
    SEND_LAT,
    ATOMIC_BW,
    ATOMIC_LAT;

    /** The operation with this name, such as {@code write_bw}. */
    public static Optional<PerftestOp> named(String word) {
        return Arrays.stream(values())
                .filter(op -> op.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    /** Its name. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it measures latency. */
    public boolean latency() {
        return this == WRITE_LAT || this == READ_LAT || this == SEND_LAT || this == ATOMIC_LAT;
    }

    /** Whether it uses Sends, so that the passive side posts receives. */
    boolean sends() {
        return this == SEND_BW || this == SEND_LAT;
    }

    /** Whether it uses Writes. */
    boolean writes() {
        return this == WRITE_BW || this == WRITE_LAT;
    }

    /** Whether it uses atomics, which have 8 bytes. */
    public boolean atomic() {
        return this == ATOMIC_BW || this == ATOMIC_LAT;
    }

    /** Whether it uses Reads or atomics, of which a number may be under way. */
    boolean reads() {
        return this == READ_BW || this == READ_LAT || atomic();
    }

    /** Whether both sides send the same, so that a span is half of what was measured. */
    boolean halved() {
        return this == WRITE_LAT || this == SEND_LAT;
    }

    /** Number of exchanges of addresses before the queue pair is connected. */
    int exchangesBeforeConnect() {
        return this == WRITE_LAT || this == READ_LAT || this == ATOMIC_LAT ? 2 : 1;
    }

    /** Whether the sides exchange the results. */
    boolean exchangesResults() {
        return this == WRITE_BW || this == READ_BW || this == ATOMIC_BW;
    }

    /** Whether the sides meet at the end; after ib_write_lat they part silently. */
    boolean meetsAtTheEnd() {
        return this != WRITE_LAT;
    }
}
