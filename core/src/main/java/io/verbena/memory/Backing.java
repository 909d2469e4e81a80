package io.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory that a region will own: what it is and how it is given back.
 *
 * @param segment the memory: native and reachable by every thread
 * @param mayFault whether touching it can fail although its arena is open: files (truncated, or a device error), and
 *     everything whose origin is not known
 * @param steady whether it is there as long as the region reaches it: the system may be told its address
 * @param giveBack gives the memory back; run once, when no engine touches it any more
 */
public record Backing(MemorySegment segment, boolean mayFault, boolean steady, Runnable giveBack) {

    /**
     * What the JDK calls the lifetimes of automatic arenas, of the global arena and of direct buffers: nobody can end them. No
     * method says so; under other names memory is taken for what an arena can take away, and copied, which is only slower.
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

    /** Plain memory that the collector gives back when nobody reaches the segment. */
    public static Backing collected(MemorySegment segment) {
        return new Backing(segment, false, true, () -> {});
    }

    /** Memory of the user, which is not ours to give back: if its arena can be closed, it may go at any time. */
    static Backing ofUser(MemorySegment segment) {
        boolean steady = UNENDING.contains(segment.scope().getClass().getSimpleName());
        return new Backing(segment, true, steady, () -> {});
    }
}
