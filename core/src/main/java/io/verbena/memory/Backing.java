package io.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a region will own: what it is and how it is given back.
 *
 * @param segment the memory: native and reachable by every thread
 * @param mayFault whether touching it can fail although its arena is open: files (truncated, or a device error), and
 *     everything whose origin is not known
 * @param ours whether nobody but the region gives it back: its address stays good while the region is open
 * @param giveBack gives the memory back; run once, when no engine touches it any more
 */
public record Backing(MemorySegment segment, boolean mayFault, boolean ours, Runnable giveBack) {

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

    /** Memory of the user, which is not ours to give back. */
    static Backing ofUser(MemorySegment segment) {
        return new Backing(segment, true, false, () -> {});
    }
}
