package io.verbena.verbs;

/**
 * An access of a peer or of local work to memory that is not mapped.
 *
 * @param address effective address of the first byte wanted
 * @param length bytes wanted
 * @param write whether they were to be written
 * @param rkey the key that the peer used; 0 for local work
 */
public record PageFault(long address, long length, boolean write, int rkey) {}
