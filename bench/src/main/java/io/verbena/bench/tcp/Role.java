package io.verbena.bench.tcp;

import java.nio.ByteBuffer;

/** What a {@link KernelPeer} does on a connection: the first bytes of the side that connects. */
enum Role {
    /** Reads to the end, then answers with the number of bytes. */
    SINK,
    /** Writes for a number of milliseconds, then closes. */
    SOURCE,
    /** Sends back each message of {@link #MESSAGE_BYTES}. */
    ECHO;

    static final int REQUEST_BYTES = 16;
    static final int MESSAGE_BYTES = 8;
    static final int CHUNK_BYTES = 256 * 1024;

    /** The request of this role. */
    ByteBuffer request(long milliseconds) {
        return ByteBuffer.allocateDirect(REQUEST_BYTES)
                .putLong(ordinal())
                .putLong(milliseconds)
                .flip();
    }
}
