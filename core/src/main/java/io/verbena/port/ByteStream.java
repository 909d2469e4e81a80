package io.verbena.port;

import io.verbena.base.TransmitList;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A non-blocking byte stream: a TCP socket in real time, a virtual stream in a simulation. Used by the thread that owns
 * the engine it is attached to (see {@link StreamLoop}).
 */
public interface ByteStream {

    /** Result of {@link #read} after the peer has closed its direction. */
    int END = -1;

    /**
     * Reads available bytes into a direct buffer.
     *
     * @return the number of bytes; 0 if none are available now; {@link #END} if none will follow
     * @throws IOException if the stream is broken (reset)
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Writes bytes of a direct buffer.
     *
     * @return the number of bytes written; 0 if the stream accepts none now
     * @throws IOException if the stream is broken
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * Reads as {@link #read(ByteBuffer)} does.
     *
     * @param address memory address of the position of the buffer: streams that call the system directly need it, and
     *     deriving it from the buffer would allocate
     */
    default int read(ByteBuffer target, long address) throws IOException {
        return read(target);
    }

    /**
     * Reads into a first buffer and, if it becomes full and one call supports it, into a second one.
     *
     * @return the total number of bytes
     */
    default int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        return read(first, firstAddress);
    }

    /**
     * Whether a read that returned fewer bytes than requested has drained the stream, so that an event reports later
     * bytes. If false, only a read that returns 0 shows that.
     */
    default boolean shortReadIsAll() {
        return false;
    }

    /** As {@link #write(ByteBuffer)}, with the address of the buffer's position. */
    default int write(ByteBuffer source, long address) throws IOException {
        return write(source);
    }

    /** Whether {@link #write(TransmitList)} is a single call, whatever the number and location of the pieces. */
    default boolean gathers() {
        return false;
    }

    /**
     * Writes bytes of a list, piece by piece.
     *
     * @return the number of bytes written; fewer than the list contains if the stream accepts no more now
     * @throws IOException if the stream is broken
     */
    default int write(TransmitList list) throws IOException {
        int written = 0;
        for (int i = 0; i < list.pieces(); i++) {
            int length = list.pieceLength(i);
            int count = write(list.piece(i));
            written += count;
            if (count < length) {
                break;
            }
        }
        return written;
    }

    /** Sets whether {@link StreamEvents#onWritable} is reported. */
    void wantWritable(boolean wanted);

    /** Sets whether {@link StreamEvents#onReadable} is reported; false while nothing is to be read (back-pressure). */
    void wantReadable(boolean wanted);

    /**
     * Requests that the carrier of the stream, if it can, checks a peer that is silent for this time.
     *
     * @param boundNs maximum silence in nanoseconds; 0 disables the check
     */
    default void keepAlive(long boundNs) {}

    /**
     * Sets how the system ends the stream if this process is killed: by a reset, or in order, as before the first call. A close by this process is not
     * affected.
     */
    default void resetIfKilled(boolean reset) {}

    /** Whether its bytes go through memory that both ends share. */
    default boolean throughMemory() {
        return false;
    }

    /** Memory that the sides of the stream may access directly; empty if the stream has no such means. */
    default Optional<PeerMemory> peerMemory() {
        return Optional.empty();
    }

    /** Short messages that the stream carries whole; empty if the stream has no such means. */
    default Optional<ShortMessages> messages() {
        return Optional.empty();
    }

    /** Why requests that arrive on this stream are refused, a sentence in ASCII; empty if they are not. */
    default String refusal() {
        return "";
    }

    /**
     * After {@link #END}: whether the peer has not closed the stream, but its process has ended. Also false if the stream cannot find
     * out.
     */
    default boolean abandoned() {
        return false;
    }

    /** The stream carries rare signals only: its loop reports it when the system does, and does not read it in advance. */
    default void signalsOnly() {}

    /**
     * Whether the carrier of the peer has acknowledged all bytes that were written; also true if the stream cannot find out.
     */
    default boolean acknowledged() {
        return true;
    }

    /**
     * What the carrier knows about the path; empty if the stream cannot find out cheaply. Any thread: the numbers are read while the
     * carrier works.
     */
    default Optional<CarrierFigures> figures() {
        return Optional.empty();
    }

    /** Closes the local direction gracefully, after all written bytes (TCP FIN). */
    void shutdownOutput() throws IOException;

    /** Closes both directions. If {@code abortive}, written bytes that have not been sent may be lost (TCP RST). */
    void close(boolean abortive);

    SocketAddress localAddress();

    SocketAddress remoteAddress();
}
