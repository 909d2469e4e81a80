package io.verbena.storage.host;

import java.lang.foreign.MemorySegment;

/**
 * The memory of one queue.
 *
 * @param capsules one submission queue entry after the other, one for each command in flight
 * @param page data of commands that are not requests of a user; the target reads and writes them
 */
public record HostMemory(MemorySegment capsules, MemorySegment page) {}
