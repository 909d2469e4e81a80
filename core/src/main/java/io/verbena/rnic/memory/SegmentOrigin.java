package io.verbena.rnic.memory;

import io.verbena.memory.vmm.SharedSegments;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Where the memory of a segment comes from: one object for all address spaces that share it. If another process has ended a segment
 * that is open here, the segment is unmapped from all of them.
 */
final class SegmentOrigin {

    private static final String UNMAPPED = "its segment was unmapped";

    private final Optional<SharedSegments.Shareable> shareable;
    private final Set<Consumer<String>> mapped = ConcurrentHashMap.newKeySet();
    private volatile String reason = UNMAPPED;

    private SegmentOrigin(Optional<SharedSegments.Shareable> shareable) {
        this.shareable = shareable;
    }

    /** Memory that cannot be offered. */
    static SegmentOrigin own() {
        return new SegmentOrigin(Optional.empty());
    }

    /** Memory of this process that can be offered. */
    static SegmentOrigin of(SharedSegments.Shareable memory) {
        return new SegmentOrigin(Optional.of(memory));
    }

    SharedSegments.Shareable shareable() {
        return shareable.orElseThrow(() -> new IllegalArgumentException(
                "invalid parameter: only a segment of AddressSpace.mapShareable can be offered, by the process"
                        + " that created it"));
    }

    /** Why the segment is unmapped, as the end of a sentence. */
    String reason() {
        return reason;
    }

    /**
     * One more address space maps it.
     *
     * @param onEnd unmaps it there, for the given reason
     * @throws IllegalStateException if it has ended, and is unmapped again
     */
    void add(Consumer<String> onEnd) {
        mapped.add(onEnd);
        String currentReason = reason;
        if (!currentReason.equals(UNMAPPED)) {
            onEnd.accept(currentReason);
            throw new IllegalStateException("the segment is unmapped: " + currentReason);
        }
    }

    /** An address space has unmapped it. */
    void remove(Consumer<String> onEnd) {
        mapped.remove(onEnd);
    }

    /** Another process has ended the segment. In a thread that may wait. */
    void end(String why) {
        reason = why;
        mapped.forEach(each -> each.accept(why));
    }
}
