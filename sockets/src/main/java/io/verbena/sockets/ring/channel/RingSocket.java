package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingEnd;
import io.verbena.sockets.ring.RingSleep;
import io.verbena.sockets.ring.RingState;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One side of a stream of two rings. Reads and writes do not block; {@link #awaitReady} does. Any thread may call any method; each direction has
 * a lock of its own, which is held while bytes are copied.
 *
 * <p>A thread that selects asks {@link #ready} as long as it does not sleep. Before it sleeps, it calls {@link #sleepFor}, asks once more, and waits for
 * the {@link #line} with its other channels; {@link #onLine} says what was found there. If it waits for rings alone, it calls {@link #sleepIn} instead, and waits in
 * the memory.
 *
 * <p>Over 500 lines: data, readiness and ends all pass through the two locks.
 */
public final class RingSocket implements AutoCloseable {

    /** Ready: bytes, the end of the stream, or an error can be read. */
    public static final int READABLE = 1;

    /** Ready: there is space for bytes, or writing fails at once. */
    public static final int WRITABLE = 2;

    /** A thread that does not sleep looks this often whether the peer is still there. */
    private static final long LOOK_NS = 1_000_000;

    private static final boolean SPINS = Runtime.getRuntime().availableProcessors() > 1;
    private static final long SPIN_NS = 20_000;

    private final RingEnd end;
    private final HostMemory.Mapping memory;
    private final Line line;
    private final MemorySleep inMemory = new MemorySleep(this);
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock writing = new ReentrantLock();
    private final Polling polledReads = new Polling();
    private final Polling polledWrites = new Polling();
    private volatile Runnable onChange = () -> {};
    private volatile long lookedNs = System.nanoTime();

    /** Written with both locks. */
    private volatile boolean closed;

    // Figures: of the thread that reads, and of the one that writes.
    private long reads;
    private long writes;
    private long fullWrites;

    /** Whether the program has written since the peer takes nothing any more. */
    private boolean wroteInVain;

    RingSocket(RingEnd end, HostMemory.Mapping memory, SocketChannel tcp) throws IOException {
        this.end = end;
        this.memory = memory;
        line = new Line(tcp);
    }

    /** Sets the action to run when something may have become ready by another thread of this process. */
    public void onChange(Runnable action) {
        onChange = action;
    }

    /** Sets what watches the connection while threads sleep in the memory. Without it they wait for the connection. */
    public void watchBy(LineWatch watch) {
        inMemory.watchBy(watch);
    }

    // Data.

    /**
     * Reads what has arrived to several buffers, in their order.
     *
     * @return the number of bytes; 0 if there are none or the buffers have no space; -1 at the end of the stream
     * @throws IOException if the connection was lost and everything that had arrived was read
     */
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long all = 0;
        int last = 0;
        int wakes = 0;
        reading.lock();
        long before = end.read();
        try {
            check();
            for (int i = offset; i < offset + length && last >= 0; i++) {
                if (targets[i].hasRemaining()) {
                    last = end.read(targets[i]);
                    all += Math.max(0, last);
                    if (targets[i].hasRemaining()) {
                        break;
                    }
                }
            }
            if (all > 0) {
                reads++;
                polledReads.succeeded();
                wakes = end.takeWriter();
            }
        } catch (InternalError e) {
            all = before(e, end.read() - before);
            wakes = end.takeWriter();
        } finally {
            reading.unlock();
        }
        wake(wakes, end.peerForSpaceAt());
        return all > 0 ? all : nothing(last);
    }

    private long nothing(int outcome) throws IOException {
        if (outcome == RingEnd.RESET) {
            throw reset();
        }
        if (outcome == 0) {
            polledReads.failed(lookForEnd());
        }
        return outcome;
    }

    /**
     * Takes bytes to send from several buffers, in their order, as many as there is space for.
     *
     * @return the number of bytes; 0 if there is no space or all buffers are empty
     * @throws IOException if the connection was lost, or the peer has closed the socket
     */
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long nowNs = lookForEnd();
        long all = 0;
        int wakes = 0;
        boolean full = false;
        writing.lock();
        long before = end.written();
        try {
            check();
            for (int i = offset; i < offset + length && !full; i++) {
                all += end.write(sources[i]);
                full = sources[i].hasRemaining();
            }
            if (all > 0) {
                writes++;
                polledWrites.succeeded();
                wakes = end.takeReader();
            } else if (full) {
                requireWritable();
                all = takeInVain(sources, offset, length);
            }
            fullWrites += full ? 1 : 0;
        } catch (InternalError e) {
            all = before(e, end.written() - before);
            wakes = end.takeReader();
        } finally {
            writing.unlock();
        }
        wake(wakes, end.peerForBytesAt());
        if (all == 0 && full) {
            polledWrites.failed(nowNs);
        }
        return all;
    }

    /**
     * Writes what has arrived to a channel, straight from the ring, at most as much as lies in one piece there. What
     * the channel does not take can be read again.
     *
     * @param target must not block for long, and keeps nothing of the buffer that is written to it: it is written with
     *      the lock of this direction
     * @return the number of bytes; 0 if there are none, and then the target was not written, or if the target took
     *      none; -1 at the end of the stream
     * @throws IOException if the connection was lost and everything that had arrived was read, or the target has thrown
     *      it
     */
    public int readTo(WritableByteChannel target) throws IOException {
        int bytes;
        int wakes = 0;
        reading.lock();
        try {
            check();
            bytes = RingTransfer.give(end, target);
            if (bytes > 0) {
                reads++;
                polledReads.succeeded();
                wakes = end.takeWriter();
            }
        } catch (InternalError e) {
            throw onMemoryLost(e);
        } finally {
            reading.unlock();
        }
        wake(wakes, end.peerForSpaceAt());
        return bytes > 0 ? bytes : (int) nothing(bytes);
    }

    /**
     * Takes bytes to send from a channel of the program, which is read once, straight into the ring.
     *
     * @param source must not block for long, and keeps nothing of the buffer: it is read with the lock of this
     *      direction
     * @param most bytes to take at most
     * @return the number of bytes; 0 if there is no space, and then the source was not read, or if the source has none;
     *      -1 if the source has ended
     * @throws IOException if the connection was lost, the peer has closed the socket, or the source has thrown it
     */
    public int writeFrom(ByteSource source, int most) throws IOException {
        long nowNs = lookForEnd();
        int bytes;
        int wakes = 0;
        writing.lock();
        try {
            check();
            bytes = RingTransfer.fill(end, source, most);
            if (bytes > 0) {
                writes++;
                polledWrites.succeeded();
                wakes = end.takeReader();
            } else if (bytes == RingTransfer.NO_SPACE) {
                requireWritable();
                bytes = dropFrom(source, most);
            }
        } catch (InternalError e) {
            throw onMemoryLost(e);
        } finally {
            writing.unlock();
        }
        wake(wakes, end.peerForBytesAt());
        if (bytes == RingTransfer.NO_SPACE) {
            polledWrites.failed(nowNs);
        }
        return bytes == RingTransfer.NO_SPACE ? 0 : bytes;
    }

    /** As {@link #takeInVain}. */
    private int dropFrom(ByteSource source, int most) throws IOException {
        if (end.state() != RingState.PEER_GONE) {
            fullWrites++;
            return RingTransfer.NO_SPACE;
        }
        int bytes = RingTransfer.drop(source, most);
        wroteInVain |= bytes > 0;
        return bytes;
    }

    /** Wakes the peer in these ways of {@link RingSleep}, if any. */
    private void wake(int ways, int at) {
        if (ways != 0 && (!wakesInMemory(ways, at) || (ways & RingSleep.BY_BYTE) != 0)) {
            line.wake();
        }
    }

    /** Without native access, a process wakes by bytes alone. */
    private boolean wakesInMemory(int ways, int at) {
        return (ways & RingSleep.BY_MEMORY) == 0 || memory.wake(at);
    }

    private void requireWritable() throws IOException {
        switch (end.state()) {
            case LOST -> throw new IOException("Connection reset by peer", reset()); // as TCP has it for writing
            case OUTPUT_SHUT, ENDED -> throw new IOException("Broken pipe");
            case PEER_GONE -> {
                if (wroteInVain) {
                    throw new IOException("Broken pipe");
                }
            }
            case OPEN, INPUT_ENDED, CLOSED -> {}
        }
    }

    /** As with TCP, the first write after the end of the peer succeeds: only then does the system of the peer answer with a reset. */
    private long takeInVain(ByteBuffer[] sources, int offset, int length) {
        long all = 0;
        for (int i = offset; end.state() == RingState.PEER_GONE && i < offset + length; i++) {
            int bytes = Math.min(sources[i].remaining(), end.mostRingBytes() - (int) all);
            sources[i].position(sources[i].position() + bytes);
            all += bytes;
        }
        wroteInVain |= all > 0;
        return all;
    }

    private void check() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private SocketException reset() {
        SocketException reset = new SocketException("Connection reset");
        if (!end.reason().isEmpty()) {
            reset.initCause(new IOException(end.reason()));
        }
        return reset;
    }

    /**
     * An access to memory failed. If it was that of the program, such as a mapped file that was truncated, the stream
     * lives on, as a connection of the system does. Else the peer has taken the shared memory away, which a sealed file
     * does not allow.
     */
    private IOException onMemoryLost(InternalError e) {
        if (end.intact()) {
            return new IOException("Bad address", e); // as the system has it
        }
        end.fail("The peer took the shared memory away.");
        return (IOException) reset().initCause(e);
    }

    /**
     * As the system: bytes that were transferred before memory of the program failed count, and the next call reports
     * the failure.
     */
    private long before(InternalError e, long bytes) throws IOException {
        IOException failure = onMemoryLost(e);
        if (bytes == 0 || end.lost()) {
            throw failure;
        }
        return bytes;
    }

    /** Bytes that can be read at once. */
    public int available() {
        reading.lock();
        try {
            return closed ? 0 : end.available();
        } finally {
            reading.unlock();
        }
    }

    /** Whether the connection was reset and nothing is left to be read. */
    public boolean wasReset() {
        return end.state() == RingState.LOST && available() == 0;
    }

    // Readiness.

    /** Which of these bits are ready: {@link #READABLE}, {@link #WRITABLE}. */
    public int ready(int bits) {
        int ready = 0;
        if ((bits & READABLE) != 0) {
            reading.lock();
            try {
                ready |= closed || end.readable() ? READABLE : 0;
            } catch (InternalError e) {
                ready |= READABLE;
            } finally {
                reading.unlock();
            }
        }
        if ((bits & WRITABLE) != 0) {
            writing.lock();
            try {
                ready |= closed || end.writable() ? WRITABLE : 0;
            } catch (InternalError e) {
                ready |= WRITABLE;
            } finally {
                writing.unlock();
            }
        }
        return ready;
    }

    /** The peer wakes this side by a byte for these bits from now on. The caller asks {@link #ready} after that, and sleeps if nothing is. */
    public void sleepFor(int bits) {
        lockBoth();
        try {
            if (!closed && (bits & READABLE) != 0) {
                announce(end.forBytes());
            }
            if (!closed && (bits & WRITABLE) != 0) {
                announce(end.forSpace());
            }
        } finally {
            unlockBoth();
        }
        RingEnd.fence();
    }

    private static void announce(RingSleep sleep) {
        if (!sleep.announced(RingSleep.BY_BYTE)) {
            sleep.announce(RingSleep.BY_BYTE);
        }
    }

    /** Whether a thread can sleep in the memory. */
    public boolean sleepsInMemory() {
        return inMemory.possible() && !line.ended();
    }

    /**
     * The peer wakes this side in the memory for these bits from now on, of which the wait gets the words.
     *
     * @return whether it did not do so before: then the caller makes a {@link RingEnd#fence} and asks {@link #ready} before it sleeps
     */
    public boolean sleepIn(HostWait wait, int bits) {
        boolean fresh = false;
        lockBoth();
        try {
            if (!closed && (bits & READABLE) != 0) {
                fresh = MemorySleep.add(wait, memory, end.forBytes());
            }
            if (!closed && (bits & WRITABLE) != 0) {
                fresh |= MemorySleep.add(wait, memory, end.forSpace());
            }
        } finally {
            unlockBoth();
        }
        inMemory.watch();
        return fresh || closed;
    }

    /** Whether the peer wakes this side in this way of {@link RingSleep} for each of these bits: if not, the caller must look. */
    public boolean sleepsFor(int bits, int way) {
        return line.ended()
                || ((bits & READABLE) == 0 || announced(reading, end.forBytes(), way))
                        && ((bits & WRITABLE) == 0 || announced(writing, end.forSpace(), way));
    }

    private boolean announced(ReentrantLock direction, RingSleep sleep, int way) {
        direction.lock();
        try {
            return closed || sleep.announced(way);
        } finally {
            direction.unlock();
        }
    }

    private void lockBoth() {
        reading.lock();
        writing.lock();
    }

    private void unlockBoth() {
        writing.unlock();
        reading.unlock();
    }

    private void awake(int bits) {
        lockBoth();
        try {
            if (!closed && (bits & READABLE) != 0) {
                end.awakeForBytes();
            }
            if (!closed && (bits & WRITABLE) != 0) {
                end.awakeForSpace();
            }
        } finally {
            unlockBoth();
        }
    }

    /**
     * Waits until one of these bits is ready. At most one thread waits to read and one to write. A thread that waits in the memory does not notice an interrupt:
     * that of a channel closes the socket.
     *
     * @return false if the timeout expired or the thread was interrupted
     */
    public boolean awaitReady(int bits, long timeoutNs) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            if (spin(bits)) {
                return true;
            }
            HostWait memoryWait = line.ended() ? null : inMemory.waitFor((bits & READABLE) != 0);
            long seen = line.signals();
            if (memoryWait == null) {
                sleepFor(bits);
            } else {
                memoryWait.begin();
                sleepIn(memoryWait, bits);
                RingEnd.fence();
            }
            long leftNs = timeoutNs - (System.nanoTime() - startNs);
            if (ready(bits) != 0) {
                awake(bits);
                return true;
            }
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                awake(bits);
                return false;
            }
            if (memoryWait == null) {
                line.await(seen, leftNs);
                onLine();
            } else {
                memoryWait.await(timeoutNs == Long.MAX_VALUE ? timeoutNs : leftNs);
            }
        }
    }

    private boolean spin(int bits) {
        if (ready(bits) != 0) {
            return true;
        }
        long startNs = System.nanoTime();
        if (!SPINS || Thread.currentThread().isVirtual() || Crowd.ofMachine().sleeps(startNs)) {
            return false;
        }
        long beforeNs = startNs;
        while (true) {
            beforeNs = Crowd.pause(beforeNs - startNs, beforeNs);
            if (ready(bits) != 0) {
                return true;
            }
            long nowNs = System.nanoTime();
            if (nowNs - startNs >= SPIN_NS || Crowd.ofMachine().looked(beforeNs, nowNs)) {
                return false;
            }
            beforeNs = nowNs;
        }
    }

    /** The channel of TCP for a selector to wait in, until {@link #lineEnded}. It does not block, and no other thread reads it. */
    public SocketChannel line() {
        return line.tcp();
    }

    /** Whether nothing more can be found on the line. */
    public boolean lineEnded() {
        return line.ended();
    }

    /** The line may have bytes: takes what is there, and wakes the threads and selectors of this side that it may be for. */
    public void onLine() {
        drain();
    }

    /**
     * The {@link LineWatch} has found that the line can be read.
     *
     * @return whether it is to be watched on
     */
    public boolean onWatched() {
        int found = drain();
        if (found > 0) {
            inMemory.unwatched();
            signal(); // after that, so that a thread which sleeps again has it watched again
            onChange.run();
        }
        return found == 0 && !line.ended();
    }

    private int drain() {
        int found = line.drain();
        if (found < 0) {
            takeEnd();
        }
        if (found != 0) {
            signal();
            onChange.run();
        }
        return found;
    }

    private void signal() {
        line.signal();
        inMemory.signal();
    }

    private void takeEnd() {
        writing.lock();
        try {
            if (!closed) {
                end.onPeerGone();
            }
        } catch (InternalError e) {
            end.fail("The peer took the shared memory away.");
        } finally {
            writing.unlock();
        }
    }

    /** Looks now and then whether the peer is still there. Returns the time. */
    private long lookForEnd() {
        long nowNs = System.nanoTime();
        if (nowNs - lookedNs >= LOOK_NS && !line.ended()) {
            lookedNs = nowNs;
            onLine();
        }
        return nowNs;
    }

    // Ends.

    /** Sends no more. The peer reads what was written, then the end of the stream. */
    public void shutdownOutput() throws IOException {
        int wakes;
        writing.lock();
        try {
            check();
            end.shutdownOutput();
            wakes = end.takeReader();
        } finally {
            writing.unlock();
        }
        wake(wakes, end.peerForBytesAt());
        wakeOwn();
    }

    /** Reads no more: what has arrived and will arrive is dropped. */
    public void shutdownInput() throws IOException {
        int wakes;
        reading.lock();
        try {
            check();
            end.shutdownInput();
            wakes = end.takeWriter();
        } finally {
            reading.unlock();
        }
        wake(wakes, end.peerForSpaceAt());
        wakeOwn();
    }

    private void wakeOwn() {
        signal();
        onChange.run();
    }

    /**
     * Closes the socket and returns at once. The peer reads what was written, then the end of the stream, or a reset if this side has left bytes unread.
     */
    @Override
    public void close() throws IOException {
        close(false);
    }

    /** Closes the socket: the peer reads what was written, then "Connection reset". */
    public void abort() throws IOException {
        close(true);
    }

    private void close(boolean reset) throws IOException {
        lockBoth();
        try {
            if (closed) {
                return;
            }
            try {
                end.close(reset);
                wakesInMemory(end.takeReader(), end.peerForBytesAt()); // in other ways the end of the connection wakes
                wakesInMemory(end.takeWriter(), end.peerForSpaceAt());
            } catch (InternalError e) {
                end.fail("The peer took the shared memory away.");
            }
            closed = true;
            memory.close();
        } finally {
            unlockBoth();
        }
        line.close();
        inMemory.signal();
        inMemory.onClosed();
        onChange.run();
    }

    // Figures.

    /**
     * What the socket has done.
     *
     * @param input the direction that is read
     * @param output the direction that is written
     * @param fullWrites calls that found no space for all of their bytes
     * @param mostRingBytes size to which a ring grows
     */
    public record Figures(Direction input, Direction output, long fullWrites, int mostRingBytes) {}

    /**
     * One direction.
     *
     * @param bytes that were read or written
     * @param calls that have read or written some
     * @param ringBytes size of the ring now
     */
    public record Direction(long bytes, long calls, int ringBytes) {}

    public Figures figures() {
        lockBoth();
        try {
            return new Figures(
                    new Direction(end.read(), reads, end.inputBytes()),
                    new Direction(end.written(), writes, end.outputBytes()),
                    fullWrites,
                    end.mostRingBytes());
        } finally {
            unlockBoth();
        }
    }

    @Override
    public String toString() {
        return end.toString();
    }
}
