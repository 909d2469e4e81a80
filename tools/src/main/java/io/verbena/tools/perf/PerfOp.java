package io.verbena.tools.perf;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What can be measured, under the names of perftest. */
public enum PerfOp {
    WRITE_LAT("RDMA Write, half a round trip: each side writes and polls its memory for the Write of the other"),
    READ_LAT("RDMA Read, a full round trip"),
    SEND_LAT("Send, half a round trip: each side sends after it has received"),
    FETCH_ADD_LAT("fetch-and-add on 8 bytes, a full round trip"),
    WRITE_BW("RDMA Writes, until the last byte is in the peer's memory"),
    READ_BW("RDMA Reads"),
    SEND_BW("Sends, with credits for the receives that the peer has posted again");

    private final String explanation;

    PerfOp(String explanation) {
        this.explanation = explanation;
    }

    /** The operations in a text: names separated by commas, or {@code all}. Empty if one is unknown. */
    public static List<PerfOp> named(String text) {
        if (text.equalsIgnoreCase("all")) {
            return List.of(values());
        }
        Set<PerfOp> named = EnumSet.noneOf(PerfOp.class);
        for (String word : text.split(",", -1)) {
            List<PerfOp> ops = Arrays.stream(values())
                    .filter(op -> op.word().equalsIgnoreCase(word.strip()))
                    .toList();
            if (ops.isEmpty()) {
                return List.of();
            }
            named.addAll(ops);
        }
        return named.stream().toList();
    }

    /** The operation with a number on the wire. */
    static Optional<PerfOp> numbered(int number) {
        return number >= 0 && number < values().length ? Optional.of(values()[number]) : Optional.empty();
    }

    /** Its name, such as {@code write_lat}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What exactly is measured. */
    public String explanation() {
        return explanation;
    }

    /** Whether it measures time spans rather than bandwidth. */
    public boolean latency() {
        return this == WRITE_LAT || this == READ_LAT || this == SEND_LAT || this == FETCH_ADD_LAT;
    }

    /** Whether both sides take the same part, so that a span is half of what was measured. */
    boolean halved() {
        return this == WRITE_LAT || this == SEND_LAT;
    }
}
