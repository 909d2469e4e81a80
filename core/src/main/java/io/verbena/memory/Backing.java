package io.verbena.memory;

import io.verbena.base.SharedGrants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * Memory that a region will own, and how it is released.
 *
 * @param segment the memory: native and accessible by every thread
 * @param mayFault whether an access can fail although the arena is open: files (truncated, or a device error), and
 *     memory of unknown origin
 * @param steady whether the memory remains valid as long as the region uses it, so that its address may be passed to
 *     the system
 * @param giveBack releases the memory; called once, when no engine accesses it any more
 * @param grants which peers access the memory without an engine; empty if none can
 */
public record Backing(
        MemorySegment segment, boolean mayFault, boolean steady, Runnable giveBack, Optional<SharedGrants> grants) {

    /** Memory that is accessed by engines only. */
    public Backing(MemorySegment segment, boolean mayFault, boolean steady, Runnable giveBack) {
        this(segment, mayFault, steady, giveBack, Optional.empty());
    }

    /**
     * Class names of the JDK for the lifetimes of automatic arenas, of the global arena and of direct buffers, which
     * cannot be closed explicitly. No method exposes this. Memory with other names is treated as closable and is
     * copied, which is only slower.
     */
    private static final Set<String> UNENDING = Set.of("ImplicitSession", "GlobalSession", "HeapSession");

    /** Plain memory of an arena of its own, given back by closing the arena. */
    public static Backing of(MemorySegment segment, Arena arena) {
        return new Backing(segment, false, true, arena::close);
    }

    /** A mapped file in an arena of its own, given back by closing the arena. */
    public static Backing mapped(MemorySegment segment, Arena arena) {
        return new Backing(segment, true, true, arena::close);
    }

    /** Plain memory that the garbage collector frees when the segment becomes unreachable. */
    public static Backing collected(MemorySegment segment) {
        return new Backing(segment, false, true, () -> {});
    }

    /**
     * Memory of the user, which is not released here. If its arena can be closed, it may become inaccessible at any
     * time.
     */
    static Backing ofUser(MemorySegment segment) {
        boolean steady = UNENDING.contains(segment.scope().getClass().getSimpleName());
        return new Backing(segment, true, steady, () -> {});
    }
}
