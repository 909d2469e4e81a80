package io.verbena.shm;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Creates memory that another process can open, and opens memory that another process created. */
public interface SharedMemory {

    /**
     * Creates zeroed memory. Later accesses do not fail because a file system is full; pages that were never accessed need not
     * exist.
     *
     * @throws IOException with a sentence, if the system has no memory for it
     */
    Mapped create(int bytes) throws IOException;

    /**
     * Opens memory that another process created.
     *
     * @param process the first word of {@link Mapped#process}
     * @param handle the {@link Mapped#handle}
     * @throws IOException with a sentence, if there is no such memory or this process may not use it
     */
    Mapped open(long process, int handle, int bytes) throws IOException;

    /** Why memory cannot be shared with a process at this address, one sentence; empty if it can. */
    Optional<String> obstacle(SocketAddress remote);

    /** The regions that this process shares with peers, and those of its peers. */
    default SharedBlocks blocks() {
        return SharedBlocks.NONE;
    }

    /** Memory of this process that other processes have, too. */
    interface Mapped extends AutoCloseable {

        /** The bytes, a direct buffer whose byte order is that of the machine. */
        ByteBuffer bytes();

        /** Identifies the process that created it. */
        long process();

        /** Identifies the memory in the process that created it. */
        int handle();

        /** The peer has opened the memory: no other process can open it from now on. */
        void shared();

        /** Unmaps the memory. Nothing of this process accesses it any more. Only the first call has an effect. */
        @Override
        void close();
    }
}
