package io.verbena.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;

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

    /** Memory of this process that another one has, too, or can open. */
    interface Mapping extends AutoCloseable {

        /** The bytes, a direct buffer whose byte order is that of the machine. */
        ByteBuffer bytes();

        /** Identifies the process that created it. */
        long process();

        /** Identifies the memory in the process that created it. */
        int handle();

        /** The peer has opened the memory: no other process can open it from now on. */
        void shared();

        /** Unmaps the memory. An access to the buffer throws {@link IllegalStateException} from now on. Only the first call has an effect. */
        @Override
        void close();
    }
}
