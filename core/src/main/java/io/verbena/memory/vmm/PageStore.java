package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Stores the pages of a segment that are in no frame: a file. Calls block; several threads may call at once. */
public interface PageStore {

    /**
     * Fills a buffer; with zeros beyond the end of the segment.
     *
     * @param offset first byte in the segment, a multiple of the page size
     * @param page direct, aligned to the page size, whole pages
     * @throws IOException if the file cannot be read, or is shorter than the segment
     */
    void read(long offset, ByteBuffer page) throws IOException;

    /**
     * Writes a page.
     *
     * @throws IOException if the file cannot be written, or is shorter than the segment
     */
    void write(long offset, ByteBuffer page) throws IOException;

    /** Whether pages can be written. */
    boolean writable();

    /** Whether the operating system's cache is passed by. */
    boolean direct();

    /** What it is, for people: a file name. */
    String name();

    /** Adapts the store to a new length of the segment. */
    void resize(long bytes) throws IOException;

    void close() throws IOException;
}
