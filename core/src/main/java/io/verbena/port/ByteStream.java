package io.verbena.port;

import io.verbena.base.TransmitList;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/**
 * A byte stream that never blocks: a TCP socket in real time, a virtual one in a simulation. Used by the thread that owns
 * the engine it is attached to (see {@link StreamLoop}).
 */
public interface ByteStream {

    /** Answer of {@link #read} when the peer has ended its direction. */
    int END = -1;

    /**
     * Moves bytes that have arrived into a direct buffer.
     *
     * @return how many; 0 when none are there now; {@link #END} when none will come
     * @throws IOException when the stream is broken (reset)
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Takes bytes of a direct buffer.
     *
     * @return how many, 0 when there is no room now
     * @throws IOException when the stream is broken
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * As {@link #read(ByteBuffer)}.
     *
     * @param address where the buffer's position lies in memory: streams that call the system themselves need it, and to find
     *     it out of a buffer takes an object
     */
    default int read(ByteBuffer target, long address) throws IOException {
        return read(target);
    }

    /**
     * Moves bytes into a first buffer and, if that becomes full and one call can do it, the next ones into a second.
     *
     * @return how many in all
     */
    default int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        return read(first, firstAddress);
    }

    /**
     * Whether a read that brought less than it had room for has found the stream empty, and what comes later is told. If
     * false, only a read that finds nothing says so.
     */
    default boolean shortReadIsAll() {
        return false;
    }

    /** As {@link #write(ByteBuffer)}, with the address of the buffer's position. */
    default int write(ByteBuffer source, long address) throws IOException {
        return write(source);
    }

    /** Whether {@link #write(TransmitList)} is one call however many pieces there are, wherever they lie. */
    default boolean gathers() {
        return false;
    }

    /**
     * Takes bytes of a list, piece by piece.
     *
     * @return how many; fewer than are in the list when there is no room now for more
     * @throws IOException when the stream is broken
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

    /** Whether {@link StreamEvents#onWritable} shall be told when there is room again. */
    void wantWritable(boolean wanted);

    /** Whether {@link StreamEvents#onReadable} shall be told; false while nothing is to be read (back-pressure). */
    void wantReadable(boolean wanted);

    /**
     * Asks whatever carries the stream to look after a peer that is silent for so long; it helps where it can.
     *
     * @param boundNs 0 for not
     */
    default void keepAlive(long boundNs) {}

    /** Ends our direction in good order, behind what was written (TCP FIN). */
    void shutdownOutput() throws IOException;

    /** Closes both directions; what was written and not sent may be lost if {@code abortive} (TCP RST). */
    void close(boolean abortive);

    SocketAddress localAddress();

    SocketAddress remoteAddress();
}
