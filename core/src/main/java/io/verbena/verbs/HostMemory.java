package io.verbena.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Memory for a program's own protocols between processes of one user on one host: one process creates it, tells the other one what names it, by any
 * way that the two have, and the other one opens it. See {@link Rnic#hostMemory()}.
 */
public interface HostMemory {

    /**
     * Creates zeroed memory. Later accesses do not fail because a file system is full; pages that were never accessed need not exist.
     *
     * @throws IOException with a sentence, if the system has no memory for it
     */
    Mapping create(int bytes) throws IOException;

    /**
     * Opens memory that another process has created.
     *
     * @param process the {@link Mapping#process()} of its creator
     * @param handle the {@link Mapping#handle()} of its creator
     * @throws IOException with a sentence, if there is no such memory or this process may not use it
     */
    Mapping open(long process, int handle, int bytes) throws IOException;

    /**
     * A wait of one thread at a time for words of such memory.
     *
     * @param words number of words at most, 1 to 127
     * @return empty if this system has no such wait, or this process may not use it
     */
    default Optional<HostWait> newWait(int words) {
        return Optional.empty();
    }

    /** Memory of this process that another one has, too, or can open. */
    interface Mapping extends AutoCloseable {

        /** The bytes, a direct buffer whose byte order is that of the machine. */
        ByteBuffer bytes();

        /** Identifies the process that created it. */
        long process();

        /** Identifies the memory in the process that created it. */
        int handle();

        /**
         * Ends the waits of all threads, also of other processes, for the word of 32 bits at this offset, a multiple of 4. The caller changes the word before. Any
         * thread, also while another one closes the memory.
         *
         * @return false if this process cannot wake threads in this way
         */
        default boolean wake(int at) {
            return false;
        }

        /** The peer has opened the memory: no other process can open it from now on. */
        void shared();

        /** Unmaps the memory. An access to the buffer throws {@link IllegalStateException} from now on. Only the first call has an effect. */
        @Override
        void close();
    }
}
