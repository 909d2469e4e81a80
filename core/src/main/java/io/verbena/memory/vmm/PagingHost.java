package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What a VMM needs of the outside: files, and somebody who does the pager's work. */
public interface PagingHost {

    /**
     * A file as a store.
     *
     * @param offset where the segment begins in it: a multiple of the page size
     * @param bytes length of the segment; a file that can be written grows to hold it
     * @param direct whether to pass by the operating system's cache, where the file system can
     * @throws IOException with a sentence, when it cannot be opened or is too short
     */
    PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException;

    /** A file of nobody, gone when it is closed; full of zeros. */
    PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) throws IOException;

    /** Has the pager's work done from now on. */
    Driver drive(Pager pager, int threads);

    /** Who does it. */
    interface Driver {

        /** When this returns nobody takes jobs any more. */
        void close();
    }
}
