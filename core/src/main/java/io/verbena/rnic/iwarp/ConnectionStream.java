package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/**
 * A connection's byte stream as its engine uses it, through all phases: readiness, the tail (the rest of a frame that was
 * sent in part), and the first thing that went wrong.
 *
 * <p>No address of user memory outlives a turn: after a partial write the rest of the unit is copied to the tail, which goes
 * out before anything else.
 */
final class ConnectionStream implements StreamEvents {

    private final RnicEngine engine;
    private final ByteStream stream;
    private final Endpoint owner;

    private boolean readable = true;
    private boolean writable = true;
    private boolean cameShort;
    private boolean peerEnded;
    private boolean outputEnded;
    private boolean closed;
    private String fault = "";
    private boolean memoryFault;
    private boolean peerSilent;

    private Slab tail;
    private int tailFrom;
    private int tailTo;

    /** A stream that the engine watches from now on. */
    ConnectionStream(RnicEngine engine, ByteStream stream, Endpoint owner) {
        this.engine = engine;
        this.stream = stream;
        this.owner = owner;
        this.tail = engine.noSlab();
        engine.streams().attach(stream, this);
    }

    RnicEngine engine() {
        return engine;
    }

    /** RDMA mode begins: the peer is looked after. */
    void keepAlive(long boundNs) {
        stream.keepAlive(boundNs);
    }

    SocketAddress localAddress() {
        return stream.localAddress();
    }

    SocketAddress remoteAddress() {
        return stream.remoteAddress();
    }

    @Override
    public void onReadable() {
        if (!peerEnded && !closed) {
            readable = true;
            engine.ready(owner);
        }
    }

    @Override
    public void onWritable() {
        if (!writable && !closed) {
            writable = true;
            stream.wantWritable(false);
            engine.ready(owner);
        }
    }

    // Up.

    /** Whether a list of many pieces goes out in one call. */
    boolean gathers() {
        return stream.gathers();
    }

    /** Whether bytes or the end may be there. */
    boolean readable() {
        return readable && !closed;
    }

    /**
     * Reads; {@link ByteStream#END} once, when the peer has ended its direction. When nothing is there, or the stream
     * broke ({@link #fault}), 0.
     */
    int read(ByteBuffer target, long address) {
        int room = target.remaining();
        try {
            return noted(stream.read(target, address), room);
        } catch (IOException | RuntimeException e) {
            // RuntimeException: a stream may be a wrapper of somebody's; its trouble ends this connection only.
            broken(e);
            return 0;
        }
    }

    /** Reads on into a second buffer, if one call can do it; see {@link ByteStream#read(ByteBuffer, long, ByteBuffer, long)}. */
    int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) {
        int room = first.remaining();
        int roomInAll = stream.gathers() ? room + second.remaining() : room;
        try {
            return noted(stream.read(first, firstAddress, second, secondAddress), roomInAll);
        } catch (IOException | RuntimeException e) {
            broken(e);
            return 0;
        }
    }

    /** Whether the last read brought less than it had room for. */
    boolean cameShort() {
        return cameShort;
    }

    private int noted(int count, int room) {
        cameShort = count < room;
        if (count == ByteStream.END) {
            peerEnded = true;
            readable = false;
            // A stream at its end is readable for ever; nobody wants to be told.
            stream.wantReadable(false);
        } else if (count == 0 || cameShort && stream.shortReadIsAll()) {
            readable = false;
        }
        return count;
    }

    /** Back-pressure: while false nobody is told of bytes. */
    void wantReadable(boolean wanted) {
        if (!closed && !peerEnded) {
            stream.wantReadable(wanted);
            readable |= wanted;
        }
    }

    // Down.

    /** Whether more can be sent now: there is room and no tail. */
    boolean writable() {
        return writable && !closed && tailFrom == tailTo;
    }

    /** Whether all that was given has been taken by the stream. */
    boolean drained() {
        return tailFrom == tailTo;
    }

    /** Sends what is left of a frame; true when nothing is. */
    boolean writeTail() {
        if (tailFrom == tailTo) {
            return true;
        }
        if (writable && !closed) {
            tailFrom += write(tail.range(tailFrom, tailTo), tail.address() + tailFrom);
        }
        if (tailFrom == tailTo) {
            dropTail();
            return true;
        }
        return false;
    }

    /** A place for {@code bytes} bytes that are to be sent; {@link #sendTail} follows. There is no tail now. */
    Slab newTail(int bytes) {
        assert tailFrom == tailTo;
        tail = engine.pool().take(bytes);
        return tail;
    }

    /** The first bytes of {@link #newTail} are there: send them. */
    void sendTail(int bytes) {
        tailFrom = 0;
        tailTo = bytes;
        if (bytes == 0) {
            dropTail();
        } else {
            writeTail();
        }
    }

    /**
     * Sends a list. What does not fit stays unsent, but for the rest of a unit that went out in part: that becomes the
     * tail.
     *
     * @return units that are on their way, the partly sent one included
     */
    int write(TransmitList list) {
        try {
            int written = stream.write(list);
            room(written == list.bytes());
            return unitsOf(list, written);
        } catch (IOException | RuntimeException e) {
            // RuntimeException: as above.
            broken(e);
            return 0;
        }
    }

    /** Whether the stream took all; if not, it tells when there is room again. */
    private void room(boolean all) {
        if (!all) {
            writable = false;
            stream.wantWritable(true);
        }
    }

    private int unitsOf(TransmitList list, int written) {
        int units = 0;
        int count = list.units();
        while (units < count && list.unitEnd(units) <= written) {
            units++;
        }
        int whole = units == 0 ? 0 : list.unitEnd(units - 1);
        if (written > whole) {
            int end = list.unitEnd(units);
            Slab rest = newTail(end - written);
            tailFrom = 0;
            tailTo = end - written;
            units++;
            try {
                list.copyOut(written, end, rest, 0);
            } catch (RuntimeException | InternalError e) {
                // The rest of the frame is gone with the user's memory: nothing sensible can follow on this stream.
                broken(e);
            }
        }
        return units;
    }

    /** Writes what there is room for of the tail; returns how many bytes went out. */
    private int write(ByteBuffer rest, long address) {
        int length = rest.remaining();
        try {
            int count = stream.write(rest, address);
            room(count == length);
            return count;
        } catch (IOException e) {
            broken(e);
            return 0;
        }
    }

    /** Ends our direction behind what was sent; once. */
    void shutdownOutput() {
        if (outputEnded || closed) {
            return;
        }
        outputEnded = true;
        try {
            stream.shutdownOutput();
        } catch (IOException e) {
            broken(e);
        }
    }

    // Ends.

    /** What went wrong with the stream, one sentence; empty while nothing has. */
    String fault() {
        return fault;
    }

    boolean closed() {
        return closed;
    }

    private void broken(Throwable e) {
        readable = false;
        writable = false;
        if (fault.isEmpty()) {
            String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            memoryFault = !(e instanceof IOException) || StreamException.is(e, Reason.MEMORY_GONE);
            peerSilent = StreamException.is(e, Reason.PEER_SILENT);
            fault = (memoryFault ? "Memory of ours went away while it was in use: " : "The connection broke: ")
                    + message + ".";
        }
        engine.ready(owner);
    }

    /** Whether the system gave the peer up because it is silent. */
    boolean peerSilent() {
        return peerSilent;
    }

    /** Whether it was not the stream but memory of ours that a piece or target was a view of. */
    boolean memoryFault() {
        return memoryFault;
    }

    /** Closes the stream; once. */
    void close(boolean abortive) {
        if (closed) {
            return;
        }
        closed = true;
        engine.streams().detach(stream);
        stream.close(abortive);
        dropTail();
    }

    /** Takes the stream off this engine, for another one, or for the application that it came from. */
    ByteStream release() {
        assert drained();
        closed = true;
        engine.streams().detach(stream);
        return stream;
    }

    /** A hash of what decides how it goes on; the bytes in the system's buffers are the stream's. */
    long stateDigest() {
        long flags = (readable ? 1 : 0)
                | (writable ? 2 : 0)
                | (peerEnded ? 4 : 0)
                | (outputEnded ? 8 : 0)
                | (closed ? 16 : 0)
                | (fault.isEmpty() ? 0 : 32);
        return Digest.mix(flags, tailTo - tailFrom);
    }

    private void dropTail() {
        tailFrom = 0;
        tailTo = 0;
        if (tail != engine.noSlab()) {
            engine.pool().give(tail);
            tail = engine.noSlab();
        }
    }
}
