package io.verbena.sockets.ring.channel;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The TCP connection of a stream: each byte wakes a side, and its end is that of the peer's process.
 *
 * <p><b>Waiting.</b> At most two threads wait, one to read and one to write. The first one waits in a selector, which any thread can end; the other one
 * waits until that has found something, or has left. A thread notes the number of {@link #signals} before it looks whether it has to
 * wait, so that none is missed.
 */
final class Line {

    private static final int MOST_AT_ONCE = 64;
    private static final long NS_PER_MS = 1_000_000;

    private final SocketChannel tcp;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean ended;

    // Each of one call at a time: a wake-up allocates nothing.
    private final ByteBuffer rung = ByteBuffer.allocate(1);
    private final ByteBuffer found = ByteBuffer.allocate(MOST_AT_ONCE);

    // Guarded by the lock.
    private long signals;
    private @Nullable Selector selector;
    private boolean selecting;
    private boolean closed;

    Line(SocketChannel tcp) throws IOException {
        this.tcp = tcp;
        tcp.configureBlocking(false);
        tcp.setOption(StandardSocketOptions.TCP_NODELAY, true); // the byte of a wake-up must not wait for another one
    }

    SocketChannel tcp() {
        return tcp;
    }

    /** Whether the peer's process, or its socket, is gone. */
    boolean ended() {
        return ended;
    }

    /** Wakes the peer. If the connection accepts nothing, the peer has bytes enough that it has not read. */
    void wake() {
        synchronized (rung) {
            try {
                tcp.write(rung.clear());
            } catch (IOException e) {
                return; // the peer is gone: who reads next finds the end
            }
        }
    }

    /**
     * Reads what has arrived, and signals if there was something: a thread that waits would not find in the connection what another one has read.
     *
     * @return the number of bytes; -1 if the connection has ended now, once
     */
    int drain() {
        int count;
        synchronized (tcp) {
            if (ended) {
                return 0;
            }
            try {
                count = tcp.read(found.clear());
            } catch (IOException e) {
                count = -1; // also if this side has closed it
            }
            ended = count < 0;
        }
        if (count != 0) {
            signal();
        }
        return count;
    }

    /** The number of signals until now. */
    long signals() {
        lock.lock();
        try {
            return signals;
        } finally {
            lock.unlock();
        }
    }

    /** The threads that wait look again. */
    void signal() {
        lock.lock();
        try {
            signals++;
            changed.signalAll();
            Selector waitsIn = selector;
            if (selecting && waitsIn != null) {
                waitsIn.wakeup();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until bytes or the end arrive, or there was a signal after those that the caller has seen. May return earlier. An interrupt ends the wait
     * and remains set.
     */
    void await(long seen, long timeoutNs) throws IOException {
        Selector waitsIn;
        lock.lock();
        try {
            if (signals != seen || ended || closed) {
                return;
            }
            if (selecting) {
                long leftNs = timeoutNs;
                while (selecting && signals == seen && !closed && leftNs > 0) {
                    leftNs = changed.awaitNanos(leftNs);
                }
                return;
            }
            waitsIn = opened();
            selecting = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } finally {
            lock.unlock();
        }
        try {
            select(waitsIn, timeoutNs);
        } finally {
            lock.lock();
            try {
                selecting = false;
                signals++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private static void select(Selector in, long timeoutNs) throws IOException {
        try {
            if (timeoutNs > Long.MAX_VALUE / 2) {
                in.select();
            } else {
                in.select(Math.max(1, timeoutNs / NS_PER_MS));
            }
            in.selectedKeys().clear();
        } catch (ClosedSelectorException _) {
            return; // the caller finds the socket closed
        }
    }

    /** With the lock. Threads that select by a selector of the program need none. */
    private Selector opened() throws IOException {
        Selector waitsIn = selector;
        if (waitsIn == null) {
            waitsIn = tcp.provider().openSelector();
            selector = waitsIn;
            tcp.register(waitsIn, SelectionKey.OP_READ);
        }
        return waitsIn;
    }

    /** Closes the connection: the peer sees its end at once. */
    void close() throws IOException {
        Selector waitsIn;
        lock.lock();
        try {
            closed = true;
            signals++;
            changed.signalAll();
            waitsIn = selector;
        } finally {
            lock.unlock();
        }
        try {
            tcp.close();
        } finally {
            if (waitsIn != null) {
                waitsIn.close();
            }
        }
    }
}
