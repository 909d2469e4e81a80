package io.verbena.sockets.proxy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Memory for bytes that have been read and not yet written. For one thread.
 *
 * <p>A buffer has 64 KiB. While a number of clients or targets that read slowly keep all buffers of this size, others get 4 KiB, so
 * that these peers delay no one else and the memory is still bounded: by 64 MiB and 8 KiB per connection.
 */
final class WaitingBuffers {

    static final int LARGE_BYTES = 64 << 10;
    static final int SMALL_BYTES = 4 << 10;
    static final int MOST_LARGE = 1024;

    private final Deque<ByteBuffer> large = new ArrayDeque<>();
    private final Deque<ByteBuffer> small = new ArrayDeque<>();
    private int largeLent;
    private int smallLent;

    /** An empty buffer, until it is returned. */
    ByteBuffer borrow() {
        if (largeLent < MOST_LARGE) {
            largeLent++;
            return taken(large, LARGE_BYTES);
        }
        smallLent++;
        return taken(small, SMALL_BYTES);
    }

    private static ByteBuffer taken(Deque<ByteBuffer> free, int bytes) {
        ByteBuffer buffer = free.poll();
        return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer.clear();
    }

    void giveBack(ByteBuffer buffer) {
        if (buffer.capacity() == LARGE_BYTES) {
            largeLent--;
            large.push(buffer);
        } else {
            smallLent--;
            small.push(buffer);
        }
    }

    /** Bytes of the buffers that are borrowed now. */
    long lentBytes() {
        return (long) largeLent * LARGE_BYTES + (long) smallLent * SMALL_BYTES;
    }
}
