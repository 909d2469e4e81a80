package io.verbena.sockets.protocol;

import java.nio.ByteBuffer;

/** Registered memory, as the engine of a stream sees it. */
public interface StreamMemory {

    /**
     * The memory, from its first byte; it stays valid until the engine returns it. The engine uses absolute positions and
     * changes no property of the buffer.
     */
    ByteBuffer bytes();

    /** The address of its first byte for the peer. */
    long address();

    /** The key that the peer needs to write to it; 0 if the peer has no access. */
    int key();
}
