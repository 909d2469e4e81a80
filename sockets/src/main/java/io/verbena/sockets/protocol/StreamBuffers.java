package io.verbena.sockets.protocol;

import java.util.Optional;

/** Where a stream gets larger buffers from while it runs, and returns those that it no longer uses. */
public interface StreamBuffers {

    /** Memory that the peer can write to; empty if no memory is available, and the stream keeps what it has. */
    Optional<StreamMemory> receiveBuffer(int bytes);

    /** Memory that only this side uses; empty if no memory is available, and the stream keeps what it has. */
    Optional<StreamMemory> sendBuffer(int bytes);

    /**
     * From now on each receive that is posted holds {@link StreamSettings#SHORT_BYTES}. Returns false if no memory is
     * available, and they remain as they are.
     */
    boolean provideShorts();

    /** Neither this side nor the peer uses the memory any more. */
    void release(StreamMemory memory);
}
