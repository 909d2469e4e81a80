package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.FramePath;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.startup.StartUp;
import io.verbena.port.ByteStream;
import io.verbena.port.CarrierFigures;
import io.verbena.port.FrameStream;
import io.verbena.port.LendingStream;
import io.verbena.port.PeerMemory;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The stream of a connection as used by its engine in all phases: readiness, the tail (the rest of a partly sent frame),
 * and the first error. The stream delivers bytes, or in RDMA mode segments if it can ({@link SegmentStream}).
 *
 * <p>No address of user memory is kept beyond a turn: after a partial write the rest of the unit is copied to the tail,
 * which is sent before anything else. The exception is payload that the stream lends to the peer ({@link LendingStream}).
 *
 * <p>Over 500 lines: it has what each kind of stream can do, and one set of flags for all of them.
 */
final class ConnectionStream implements StreamEvents {

    private final RnicEngine engine;
    private ByteStream stream;
    private final Endpoint owner;

    private boolean readable = true;
    private boolean writable = true;
    private boolean shortRead;
    private boolean peerEnded;
    private boolean outputEnded;
    private boolean endCounts = true;
    private boolean closed;
    private String fault = "";
    private boolean memoryFault;
    private boolean peerSilent;
    private boolean peerReset;

    /** The last loan that was reported. */
    private long lent;

    private Slab tail;
    private int tailFrom;
    private int tailTo;

    /** Attaches a stream to the engine, which watches it from now on. */
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

    /** The stream is now what it has turned out to be. */
    void settle() {
        stream = engine.streams().settled(stream);
    }

    /** What the carrier knows about the path. Any thread. */
    Optional<CarrierFigures> figures() {
        return stream.figures();
    }

    boolean throughMemory() {
        return stream.throughMemory();
    }

    /** Why a request on this stream is refused; empty if it is not. */
    String refusal() {
        return stream.refusal();
    }

    /** Enables keep-alive when RDMA mode begins. */
    void keepAlive(long boundNs) {
        stream.keepAlive(boundNs);
    }

    /** Sets how the system ends the stream if this process is killed. */
    void resetIfKilled(boolean reset) {
        if (!closed) {
            stream.resetIfKilled(reset);
        }
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

    @Override
    public void onReturned() {
        if (!closed) {
            engine.ready(owner);
        }
    }

    // Loans.

    /** Lets the stream lend payload, if it can. */
    void lend() {
        if (stream instanceof LendingStream lending) {
            lending.lend();
        }
    }

    /** Notes what the last write lent. Returns whether it lent payload. */
    boolean noteLent() {
        long before = lent;
        lent = stream instanceof LendingStream lending ? lending.lent() : 0;
        return lent != before;
    }

    /** The last loan. */
    long lent() {
        return lent;
    }

    /** The loan up to which all are returned. */
    long returned() {
        return stream instanceof LendingStream lending ? lending.returned() : 0;
    }

    /** The peer uses nothing that it copies from now on. */
    void withdraw() {
        if (stream instanceof LendingStream lending) {
            lending.withdraw();
        }
    }

    /** Memory that the sides may access directly, if the stream has such means. */
    Optional<PeerMemory> peerMemory() {
        return stream.peerMemory();
    }

    /** What takes short frames outside of a turn, if the stream can do so. */
    Optional<FramePath> frames() {
        return stream instanceof FrameStream frames ? Optional.of(new FrameChannel(frames)) : Optional.empty();
    }

    /** The messages that the stream carries in short form, if it does so. */
    Optional<ShortChannel> messages(IwarpStream rdma) {
        return stream.messages().map(messages -> new ShortChannel(messages, rdma));
    }

    // Receiving.

    /** Whether a list of several pieces is sent in one call. */
    boolean gathers() {
        return stream.gathers();
    }

    /** Whether bytes or the end of the stream may be available. */
    boolean readable() {
        return readable && !closed;
    }

    /**
     * Reads from the stream. Returns {@link ByteStream#END} once, when the peer has ended its direction, and 0 if no
     * bytes are available or the stream broke ({@link #fault}).
     */
    int read(ByteBuffer target, long address) {
        int capacity = target.remaining();
        try {
            return noted(stream.read(target, address), capacity);
        } catch (IOException | RuntimeException e) {
            // RuntimeException: the stream may be a wrapper, whose errors end this connection only.
            broken(e);
            return 0;
        }
    }

    /**
     * Reads into two buffers, if one call can do it; see {@link ByteStream#read(ByteBuffer, long, ByteBuffer, long)}.
     */
    int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) {
        int capacity = first.remaining();
        int totalCapacity = stream.gathers() ? capacity + second.remaining() : capacity;
        try {
            return noted(stream.read(first, firstAddress, second, secondAddress), totalCapacity);
        } catch (IOException | RuntimeException e) {
            broken(e);
            return 0;
        }
    }

    /** Whether the stream can deliver segments in any order. */
    boolean deliversSegments() {
        return stream instanceof SegmentStream;
    }

    /** The size of a unit that arrives in one segment; {@link Integer#MAX_VALUE} if segments are not visible. */
    int segmentBytes() {
        return stream instanceof SegmentStream segments ? segments.segmentBytes() : Integer.MAX_VALUE;
    }

    /** Replaces {@link #read} by {@link #receive}; see {@link SegmentStream#deliverSegments}. */
    void deliverSegments(long firstOffset) {
        ((SegmentStream) stream).deliverSegments(firstOffset);
        readable = true;
    }

    /** Receives segments. Returns the number of bytes offered, or {@link ByteStream#END} as {@link #read} does. */
    int receive(SegmentTaker taker, int byteBudget) {
        try {
            return noted(((SegmentStream) stream).receive(taker, byteBudget), byteBudget);
        } catch (IOException | RuntimeException e) {
            broken(e);
            return 0;
        }
    }

    /** After the end: whether the process of the peer has ended without closing the stream, as far as that is known. */
    boolean abandoned() {
        return stream.abandoned();
    }

    /** Whether the last read returned fewer bytes than the buffer could hold. */
    boolean shortRead() {
        return shortRead;
    }

    private int noted(int count, int capacity) {
        shortRead = count < capacity;
        if (count == ByteStream.END && !endCounts) {
            readable = false;
            return 0;
        }
        if (count == ByteStream.END) {
            peerEnded = true;
            readable = false;
            // A stream at its end remains readable; readiness is not reported again.
            stream.wantReadable(false);
        } else if (count == 0 || shortRead && stream.shortReadIsAll()) {
            readable = false;
        }
        return count;
    }

    /** Back-pressure: while false, readiness to read is not reported. */
    void wantReadable(boolean requested) {
        if (!closed && !peerEnded) {
            stream.wantReadable(requested);
            readable |= requested;
        }
    }

    // Sending.

    /** Whether more can be sent now: the stream accepts bytes and there is no tail. */
    boolean writable() {
        return writable && !closed && tailFrom == tailTo;
    }

    /** Whether the stream has accepted all bytes. */
    boolean drained() {
        return tailFrom == tailTo;
    }

    /** Sends the rest of a frame; returns true if nothing is left. */
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

    /** Sends as much of the pending start-up frame as the stream accepts. */
    void send(StartUp startUp) {
        if (!writeTail()) {
            return;
        }
        int pending = startUp.transmitPendingBytes();
        if (pending > 0) {
            Slab frame = newTail(pending);
            sendTail(startUp.fillTransmit(frame.segment(), 0, pending));
        }
    }

    /** Allocates a tail of {@code bytes} bytes to be sent; {@link #sendTail} follows. There must be no tail. */
    Slab newTail(int bytes) {
        assert tailFrom == tailTo;
        tail = engine.pool().take(bytes);
        return tail;
    }

    /** Sends the first bytes of the tail that {@link #newTail} returned. */
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
     * Sends a list. If the stream does not accept all of it, the rest of a partly sent unit becomes the tail, and later
     * units remain unsent.
     *
     * @return number of units that were sent, including a partly sent one
     */
    int write(TransmitList list) {
        try {
            int written = stream.write(list);
            noteAccepted(written == list.bytes());
            return unitsOf(list, written);
        } catch (IOException | RuntimeException e) {
            // See above.
            outputBroken(e);
            return 0;
        }
    }

    /** Requests notification of writability if the stream did not accept all bytes. */
    private void noteAccepted(boolean all) {
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
                // The rest of the frame was lost with the user's memory. The stream cannot continue.
                broken(e);
            }
        }
        return units;
    }

    /** Writes as much of the tail as the stream accepts; returns the number of bytes sent. */
    private int write(ByteBuffer rest, long address) {
        int length = rest.remaining();
        try {
            int count = stream.write(rest, address);
            noteAccepted(count == length);
            return count;
        } catch (IOException e) {
            broken(e);
            return 0;
        }
    }

    /** Whether the TCP of the peer has acknowledged everything, as far as the stream can find out. */
    boolean acknowledged() {
        return closed || drained() && stream.acknowledged();
    }

    /** Ends this direction after the bytes already sent. Only the first call has an effect. */
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

    // End of the stream.

    /** The first error of the stream, as a sentence; empty if there was none. */
    String fault() {
        return fault;
    }

    boolean closed() {
        return closed;
    }

    /**
     * A write failed. What the peer had sent before can still be read. A reset that was reported to the write is not reported to a read: then
     * that reads an end that is none.
     */
    private void outputBroken(Throwable e) {
        boolean more = readable && e instanceof IOException && !StreamException.is(e, Reason.MEMORY_GONE);
        endCounts = StreamException.is(e, Reason.PEER_ENDED);
        broken(e);
        readable = more;
    }

    private void broken(Throwable e) {
        readable = false;
        writable = false;
        if (fault.isEmpty()) {
            String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            memoryFault = !(e instanceof IOException) || StreamException.is(e, Reason.MEMORY_GONE);
            peerSilent = StreamException.is(e, Reason.PEER_SILENT);
            peerReset = StreamException.is(e, Reason.RESET) || StreamException.is(e, Reason.PEER_ENDED);
            fault = (memoryFault ? "Local memory was released while it was in use: " : "The connection broke: ")
                    + message + ".";
        }
        engine.ready(owner);
    }

    /** Whether the system gave up the peer because it was silent. */
    boolean peerSilent() {
        return peerSilent;
    }

    /** Whether the stream was reset, as the system does it for a process that has ended. */
    boolean peerReset() {
        return peerReset;
    }

    /** Whether local memory that a piece or target referred to failed, rather than the stream. */
    boolean memoryFault() {
        return memoryFault;
    }

    /** Closes the stream. Only the first call has an effect. */
    void close(boolean abortive) {
        if (closed) {
            return;
        }
        closed = true;
        try {
            engine.streams().detach(stream);
        } finally {
            stream.close(abortive); // in any case: it takes back what the peer may access
            dropTail();
        }
    }

    /** Detaches the stream from this engine, for another engine or for the application that it came from. */
    ByteStream release() {
        assert drained();
        closed = true;
        engine.streams().detach(stream);
        return engine.streams().settled(stream);
    }

    /**
     * A hash of the state that determines further behaviour. Bytes in system buffers are part of the stream's state.
     */
    long stateDigest() {
        long flags = Digest.flags(
                readable,
                writable,
                peerEnded,
                outputEnded,
                closed,
                !fault.isEmpty(),
                memoryFault,
                peerSilent,
                peerReset,
                endCounts);
        return Digest.mix(Digest.mix(flags, tailTo - tailFrom), lent);
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
