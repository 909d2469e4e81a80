package io.verbena.verbs;

/**
 * An access of a peer or of local work to unmapped memory.
 *
 * @param address effective address of the first byte accessed
 * @param length number of bytes accessed
 * @param write whether the access is a write
 * @param rkey key that the peer used; 0 for local work
 */
public record PageFault(long address, long length, boolean write, int rkey) {}
