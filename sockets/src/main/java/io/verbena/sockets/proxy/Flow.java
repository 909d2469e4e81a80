package io.verbena.sockets.proxy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection. Bytes are read only while none wait to be written, and the end of the stream is passed on after the
 * last byte.
 */
final class Flow {

    /** Reads for one event: a fast sender does not keep the thread from other connections. */
    private static final int MOST_READS = 4;

    private final SocketChannel from;
    private final SocketChannel to;
    private final WaitingBuffers buffers;
    private final AtomicLong bytes;
    private @Nullable ByteBuffer waiting;
    private boolean ended;
    private boolean done;
    private boolean broken;

    Flow(SocketChannel from, SocketChannel to, WaitingBuffers buffers, AtomicLong bytes) {
        this.from = from;
        this.to = to;
        this.buffers = buffers;
        this.bytes = bytes;
    }

    boolean wantsRead() {
        return !done && !ended && waiting == null;
    }

    boolean wantsWrite() {
        return !done && waiting != null;
    }

    /** Whether the end was passed on, or the receiver takes no more bytes. */
    boolean done() {
        return done;
    }

    /** Whether the receiver took no more bytes before the end. */
    boolean broken() {
        return broken;
    }

    /**
     * Moves bytes until the sender has no more, the receiver has no space, or others should have their turn.
     *
     * @param orderly whether the end of the stream is one. After a write to the sender has failed, TCP may report its reset as an end.
     * @throws IOException if the sender has reset its connection. A receiver that takes no more bytes only ends this direction:
     *     what it has sent before can still be read.
     */
    void advance(boolean orderly) throws IOException {
        for (int i = 0; i < MOST_READS && !done; i++) {
            boolean read = waiting != null || !ended && fill();
            if (read && !drain() || !read && !ended) {
                return;
            }
            if (ended && !done) {
                passEnd(orderly);
            }
        }
    }

    private boolean fill() throws IOException {
        ByteBuffer buffer = buffers.borrow();
        int count = 0;
        try {
            count = from.read(buffer);
        } finally {
            if (count <= 0) {
                buffers.giveBack(buffer);
            }
        }
        if (count > 0) {
            waiting = buffer.flip();
        }
        ended = count < 0;
        return count > 0;
    }

    /** Whether no byte waits any more. */
    private boolean drain() {
        ByteBuffer buffer = waiting;
        if (buffer == null) {
            return true;
        }
        try {
            bytes.addAndGet(to.write(buffer));
        } catch (IOException _) {
            release(); // the sender learns by a reset that bytes were lost
            broken = true;
            return false;
        }
        if (buffer.hasRemaining()) {
            return false;
        }
        waiting = null;
        buffers.giveBack(buffer);
        return true;
    }

    private void passEnd(boolean orderly) {
        try {
            if (orderly) {
                to.shutdownOutput();
            }
        } catch (IOException _) {
            broken = true;
        }
        done = true;
    }

    /** Returns the memory; nothing is moved any more. */
    void release() {
        ByteBuffer buffer = waiting;
        waiting = null;
        if (buffer != null) {
            buffers.giveBack(buffer);
        }
        done = true;
    }
}
