package io.verbena.sockets.proxy;

import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection. Bytes are read only while none wait to be written, and the end of the stream is passed on after the
 * last byte.
 *
 * <p>Where one end is a stream over RDMA, its buffers are read and written by the calls of the other end, so that no bytes wait in
 * between. Else they pass through a buffer that is borrowed when bytes have arrived.
 */
final class Flow {

    /** Moves for one event: a fast sender does not keep the thread from other connections. */
    private static final int MOST_MOVES = 4;

    private final SocketChannel from;
    private final SocketChannel to;
    private final FlowEnd source;
    private final FlowEnd sink;
    private final WaitingBuffers buffers;
    private final AtomicLong bytes;
    private @Nullable ByteBuffer waiting;

    /** Whether the receiver had no space for bytes that wait at the sender. */
    private boolean blocked;

    private boolean ended;
    private boolean done;
    private boolean broken;

    Flow(SocketChannel from, SocketChannel to, WaitingBuffers buffers, AtomicLong bytes) {
        this.from = from;
        this.to = to;
        source = new FlowEnd(from);
        sink = new FlowEnd(to);
        this.buffers = buffers;
        this.bytes = bytes;
    }

    boolean wantsRead() {
        return !done && !ended && !wantsWrite();
    }

    boolean wantsWrite() {
        return !done && (waiting != null || blocked);
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
        for (int i = 0; i < MOST_MOVES && !done; i++) {
            boolean moved = waiting == null && !ended ? move() : drain();
            if (ended && waiting == null && !done) {
                passEnd(orderly);
            }
            if (!moved) {
                return;
            }
        }
    }

    /** Returns whether bytes were moved, and more may follow. */
    private boolean move() throws IOException {
        blocked = false;
        boolean stream = VerbenaSelectorProvider.transfers(from);
        if (stream == VerbenaSelectorProvider.transfers(to)) {
            return fill() && drain();
        }
        return moved(stream ? readStraight() : writeStraight());
    }

    private boolean moved(long count) {
        ended = count < 0;
        bytes.addAndGet(Math.max(0, count));
        return count > 0 && !blocked && !broken;
    }

    /**
     * Moves bytes from a stream of this provider to the other connection without a buffer. If the transfer fails, the
     * other connection has failed, unless the stream was reset.
     */
    private long readStraight() throws IOException {
        sink.begin();
        long count = VerbenaSelectorProvider.transferTo(from, sink);
        blocked = sink.incomplete();
        if (sink.failure().isPresent()) {
            breakOff();
            return 0;
        }
        return count;
    }

    /** To a stream: what fails in the meantime is the receiver, unless the sender was reset. */
    private long writeStraight() throws IOException {
        source.begin();
        long count = 0;
        try {
            count = VerbenaSelectorProvider.transferFrom(source, to, WaitingBuffers.LARGE_BYTES);
            blocked = !source.used();
        } catch (IOException _) {
            breakOff();
        }
        if (source.failure().isPresent()) {
            throw source.failure().get();
        }
        return count;
    }

    /** The sender learns by a reset that bytes were lost. */
    private void breakOff() {
        release();
        broken = true;
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

    /** Returns whether no byte waits any more. */
    private boolean drain() {
        ByteBuffer buffer = waiting;
        if (buffer == null) {
            return true;
        }
        try {
            bytes.addAndGet(to.write(buffer));
        } catch (IOException _) {
            breakOff();
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
