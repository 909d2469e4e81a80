package io.verbena.tools.osu;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;

/** A measurement of the OSU benchmarks, under its name there. */
public enum OsuOp {
    OSU_LATENCY("Latency (us)", 0, 4 << 20),
    OSU_BW("Bandwidth (MB/s)", 1, 4 << 20),
    OSU_BIBW("Bandwidth (MB/s)", 1, 4 << 20),
    OSU_PUT_LATENCY("Latency (us)", 1, 4 << 20),
    OSU_GET_LATENCY("Latency (us)", 1, 4 << 20),
    OSU_BARRIER("Avg Latency(us)", 0, 0),
    OSU_BCAST("Avg Latency(us)", 1, 1 << 20),
    OSU_ALLREDUCE("Avg Latency(us)", 4, 1 << 20),
    OSU_ALLTOALL("Avg Latency(us)", 1, 1 << 20);

    private final String column;
    private final int smallest;
    private final int largest;

    OsuOp(String column, int smallest, int largest) {
        this.column = column;
        this.smallest = smallest;
        this.largest = largest;
    }

    /** The operation with this name. */
    public static Optional<OsuOp> named(String word) {
        for (OsuOp op : values()) {
            if (op.word().equals(word)) {
                return Optional.of(op);
            }
        }
        return Optional.empty();
    }

    /** Name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Head of the column of what is measured. */
    String column() {
        return column;
    }

    /** The sizes that are measured by default: powers of two, and 0 where a message may be empty. */
    List<Long> sizes() {
        List<Long> sizes = new ArrayList<>();
        if (smallest == 0) {
            sizes.add(0L);
        }
        LongStream.iterate(Math.max(1, smallest), size -> size <= largest, size -> 2 * size)
                .forEach(sizes::add);
        return sizes;
    }

    /** Returns whether nccl-tests define a bus bandwidth for it. */
    boolean hasBusBandwidth() {
        return this == OSU_BCAST || this == OSU_ALLREDUCE || this == OSU_ALLTOALL;
    }

    /**
     * Bytes that each link carries at least, as nccl-tests define it.
     *
     * @param bytes of the message: the vector, or a block of an alltoall
     */
    double busBytes(long bytes, int ranks) {
        return switch (this) {
            case OSU_ALLREDUCE -> 2.0 * (ranks - 1) / ranks * bytes;
            case OSU_ALLTOALL -> (double) (ranks - 1) * bytes;
            default -> bytes;
        };
    }
}
