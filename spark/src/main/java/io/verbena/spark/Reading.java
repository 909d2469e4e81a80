package io.verbena.spark;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Ranges that are read into one region, one after the other, and what happens then. */
final class Reading {

    // A long Read delays those of other fetches.
    private static final int MOST_BYTES_OF_A_READ = 16 << 20;

    private final MemoryRegion sink;
    private final Outcome outcome;
    private int left;

    /** Called without locks. */
    interface Outcome {

        /** The first bytes of the region are there, and not yet all. Called before {@link #ended}, or beside it. */
        default void arrived(long bytes) {}

        /** Called once: all bytes are there, or the connection has ended, and nothing writes to the region any more. */
        void ended(Optional<Throwable> failure);
    }

    /**
     * An RDMA Read of a reading.
     *
     * @param reading what it belongs to
     * @param offset in the region
     * @param from the range
     * @param last whether it is the last one of the reading
     */
    record Part(Reading reading, long offset, RemoteRegion from, boolean last) {

        long end() {
            return offset + from.length();
        }
    }

    Reading(MemoryRegion sink, Outcome outcome) {
        this.sink = sink;
        this.outcome = outcome;
    }

    MemoryRegion sink() {
        return sink;
    }

    Outcome outcome() {
        return outcome;
    }

    /** The Reads for these ranges. */
    List<Part> parts(List<RemoteRegion> ranges) {
        Deque<RemoteRegion> pieces = new ArrayDeque<>();
        for (RemoteRegion range : ranges) {
            for (long done = 0; done < range.length(); done += MOST_BYTES_OF_A_READ) {
                pieces.add(range.slice(done, Math.min(MOST_BYTES_OF_A_READ, range.length() - done)));
            }
        }
        left = pieces.size();
        List<Part> parts = new ArrayList<>();
        long offset = 0;
        while (!pieces.isEmpty()) {
            RemoteRegion piece = pieces.remove();
            parts.add(new Part(this, offset, piece, pieces.isEmpty()));
            offset += piece.length();
        }
        return parts;
    }

    /** Counts a Read that is complete; whether it was the last one. */
    boolean completed() {
        left--;
        return left == 0;
    }
}
