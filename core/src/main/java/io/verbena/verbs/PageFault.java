package io.verbena.verbs;

/**
 * A remote access met memory that is not mapped.
 *
 * @param address effective address of the first byte wanted
 * @param length bytes wanted
 * @param write whether they were to be written
 * @param rkey key that was used
 */
public record PageFault(long address, long length, boolean write, int rkey) {}
