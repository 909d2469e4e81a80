package io.verbena.tools.messaging;

import java.util.List;

/**
 * What other designs of eager buffers take for a connection, both directions, by their documentation.
 *
 * @param name the design
 * @param bytes for one connection, both directions
 * @param remark how the size is computed
 */
public record RingDesign(String name, long bytes, String remark) {

    private static final long KIB = 1024;

    /** The designs that the documentation names. */
    public static List<RingDesign> all() {
        return List.of(
                new RingDesign("large buffers from the start", 256 * KIB, "256 KB per connection"),
                new RingDesign("buffer enlargement design", 16 * KIB, "16 KB per connection"),
                new RingDesign("MVAPICH2 fast path, least", 32 * KIB, "16 KiB per peer and direction; 64 peers polled"),
                new RingDesign("MVAPICH2 fast path, most", 256 * KIB, "128 KiB per peer and direction"),
                new RingDesign("Open MPI openib", 408 * KIB, "17 buffers of 12 KiB per peer and direction; 16 peers"));
    }
}
