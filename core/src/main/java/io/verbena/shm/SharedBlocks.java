package io.verbena.shm;

import io.verbena.base.SharedGrants;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The blocks of this process, and those of peers. Any thread. */
public interface SharedBlocks {

    /** Neither this process nor its peers share regions. */
    SharedBlocks NONE = new SharedBlocks() {
        private final BlockTable table = new BlockTable();

        @Override
        public BlockTable table() {
            return table;
        }

        @Override
        public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
            throw new IOException("this process reads no memory of others");
        }
    };

    /** The blocks of this process. */
    BlockTable table();

    /**
     * Maps a block of a peer for reading.
     *
     * @throws IOException with a sentence, if there is no such block, it may be shortened, or this process may not read it
     */
    public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException;

    /**
     * Maps a block of a peer for reading and writing, and the page after it.
     *
     * @throws IOException with a sentence, if there is no such block, it may be shortened, or this process may not write it
     */
    public default Shared openShared(long process, int handle, int length, long nonceHigh, long nonceLow)
            throws IOException {
        throw new IOException("this process writes no memory of others");
    }

    /** Memory of a peer that this process can read and write. */
    interface Shared extends AutoCloseable {

        /** The bytes of the region. The peer may change them at any time. */
        MemorySegment region();

        /** The page after it, see {@link SharedGrants}. */
        MemorySegment page();

        /** Unmaps the memory. Nothing of this process accesses it any more. Only the first call has an effect. */
        @Override
        void close();
    }

    /** Memory of a peer that this process can read. */
    interface Opened extends AutoCloseable {

        /** The bytes of the region, a direct buffer. The peer may change them at any time. */
        ByteBuffer bytes();

        /** Unmaps the memory. Nothing of this process accesses it any more. Only the first call has an effect. */
        @Override
        void close();
    }
}
