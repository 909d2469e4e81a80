package io.verbena.messaging.collective;

import java.util.Locale;

/** The collective operations. */
public enum CollectiveKind {
    BARRIER,
    BCAST(true),
    REDUCE(true),
    ALLREDUCE,
    REDUCE_SCATTER,
    GATHER(true),
    GATHERV(true),
    SCATTER(true),
    SCATTERV(true),
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    SCAN,
    EXSCAN;

    private static final CollectiveKind[] ALL = values();

    private final boolean rooted;

    CollectiveKind() {
        this(false);
    }

    CollectiveKind(boolean rooted) {
        this.rooted = rooted;
    }

    /** Returns whether one rank is the root. */
    public boolean rooted() {
        return rooted;
    }

    /** The name of the operation in the interface of a program. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace("_", "");
    }

    /** The kind with this ordinal; the first one if there is none. */
    static CollectiveKind of(int ordinal) {
        return ALL[ordinal < ALL.length ? ordinal : 0];
    }
}
