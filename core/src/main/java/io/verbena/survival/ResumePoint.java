package io.verbena.survival;

import java.util.List;

/**
 * How far one side of an association came, stated after its old queue pair was fenced.
 *
 * @param completed number of its own requests that are complete: their results are not needed any more
 * @param executed number of requests of the peer that it has executed, in the order of posting. It includes Reads
 *     whose data may
 *     not have arrived: the requester knows which
 * @param results of atomic operations of the peer, in ascending order of numbers: at least those that the peer has
 *     not completed
 */
public record ResumePoint(long completed, long executed, List<RecordedResult> results) {

    /** Copies the results. */
    public ResumePoint {
        results = List.copyOf(results);
    }

    /** Nothing was done. */
    public static ResumePoint none() {
        return new ResumePoint(0, 0, List.of());
    }
}
