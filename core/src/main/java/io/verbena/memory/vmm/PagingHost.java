package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The environment of a VMM: files, and threads that perform the jobs of the pager. */
public interface PagingHost {

    /**
     * Opens a file as a store.
     *
     * @param offset offset of the segment in the file: a multiple of the page size
     * @param bytes length of the segment; a writable file is extended if it is shorter
     * @param direct whether to bypass the page cache of the operating system, if the file system supports it
     * @throws IOException if the file cannot be opened or is too short; the message states the reason
     */
    PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException;

    /** Opens a temporary file that is deleted when it is closed; filled with zeros. */
    PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) throws IOException;

    /** Memory that processes of one host share. */
    default SharedSegments sharedSegments() {
        throw new UnsupportedOperationException("This environment does not share memory with other processes.");
    }

    /** Has the pager's work done from now on. */
    Driver drive(Pager pager, int threads);

    /** The threads that perform the jobs. */
    interface Driver {

        /** After the return no jobs are taken any more. */
        void close();
    }
}
