package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where the pages of a segment are while they are in no frame: a file. Calls block; several threads call at once. */
public interface PageStore {

    /**
     * Fills a buffer; behind the end of the segment with zeros.
     *
     * @param offset first byte in the segment, a multiple of the page size
     * @param page direct, aligned to the page size, whole pages
     * @throws IOException when it cannot be read, also because the file became shorter than the segment
     */
    void read(long offset, ByteBuffer page) throws IOException;

    /**
     * Keeps a page.
     *
     * @throws IOException when it cannot be written, also because the file became shorter than the segment
     */
    void write(long offset, ByteBuffer page) throws IOException;

    /** Whether pages can be written. */
    boolean writable();

    /** Whether the operating system's cache is passed by. */
    boolean direct();

    /** What it is, for people: a file name. */
    String name();

    /** Room for so many bytes: the segment grew or shrank. */
    void resize(long bytes) throws IOException;

    void close() throws IOException;
}
