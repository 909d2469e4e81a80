package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamEngine;
import io.verbena.sockets.protocol.StreamSettings;
import io.verbena.sockets.protocol.StreamWork;

/**
 * What a stream has done until now. A stream without RDMA has the bytes and copies of its directions only, and no buffers of
 * its own.
 *
 * @param sent from the program to the peer
 * @param received from the peer to the program
 * @param credits data messages that this side may send before the peer grants more
 * @param stalls times without space to write
 * @param buffers the buffers now
 */
public record StreamFigures(Direction sent, Direction received, int credits, Stalls stalls, Buffers buffers) {

    /**
     * One direction.
     *
     * @param bytes that the program has written or read
     * @param messages of the stream protocol: data messages sent, messages of every kind received
     * @param copies between memory of the program and the buffers of the stream, one for each buffer of the program
     * @param copiedBytes bytes that were copied between memory of the program and the receive buffer: of what was sent, twice the
     *     bytes that passed through the send buffer, and once those that were written straight to the receive buffer of the peer;
     *     for bytes that a channel has filled in or taken out, one copy less; of what was received, bytes that
     *     came in a Send twice
     */
    public record Direction(long bytes, long messages, long copies, long copiedBytes) {}

    /**
     * Times in which the program wanted to write and there was no space.
     *
     * @param count how often
     * @param durationNs how long in all, without one that lasts
     */
    public record Stalls(long count, long durationNs) {}

    /**
     * The buffers of a stream now.
     *
     * @param receiveBytes size of the receive buffer
     * @param sendBytes size of the send buffer
     * @param availableBytes bytes that can be read
     * @param unfinishedBytes bytes that were written and have not yet arrived
     * @param phase how far they have grown
     */
    public record Buffers(
            int receiveBytes, int sendBytes, int availableBytes, int unfinishedBytes, BufferPhase phase) {}

    /** How far the buffers of a stream have grown. */
    public enum BufferPhase {
        /** There are none: the bytes are not carried by RDMA. */
        NONE,
        /** Both have their first size. */
        FIRST,
        /** One has grown. */
        GROWN,
        /** One has the largest size that the options allow. */
        LARGEST;

        static BufferPhase of(int bytes, StreamSettings settings) {
            if (bytes == settings.initialBytes()) {
                return FIRST;
            }
            return bytes < settings.mostBytes() ? GROWN : LARGEST;
        }
    }

    private static final Buffers NO_BUFFERS = new Buffers(0, 0, 0, 0, BufferPhase.NONE);

    /** The figures of a stream that is not carried by RDMA. */
    public static StreamFigures plain(Direction sent, Direction received) {
        return new StreamFigures(sent, received, 0, new Stalls(0, 0), NO_BUFFERS);
    }

    /** The numbers while they grow. */
    static final class Counters {
        private long read;
        private long reads;
        private long readCopies;
        private long written;
        private long writes;
        private long writtenCopies;
        private long messagesSent;
        private long messagesReceived;
        private long stalls;
        private long stalledNs;
        private long stallBeganNs;
        private boolean stalled;

        void onRead(int bytes) {
            onTaken(bytes);
            readCopies += bytes;
            reads++;
        }

        /** A channel has taken bytes out of the receive buffer. */
        void onTaken(int bytes) {
            read += bytes;
        }

        void onWritten(int bytes) {
            written += bytes;
            writtenCopies += bytes;
            writes += bytes > 0 ? 1 : 0;
        }

        /** A channel has put bytes into the send buffer, or straight into the memory of the peer. */
        void onFilled(int bytes) {
            written += bytes;
        }

        /** A channel has put bytes into the memory of the peer, which a message announces. */
        void onFilledPlace(int bytes) {
            onFilled(bytes);
            messagesSent++;
        }

        /** Bytes were written straight to the memory of the peer, which a message announces. */
        void onPlaced(int bytes) {
            onWritten(bytes);
            messagesSent++;
        }

        /** A write found no space for all of its bytes. */
        void onNoSpace(long nowNs) {
            if (!stalled) {
                stalled = true;
                stallBeganNs = nowNs;
                stalls++;
            }
        }

        boolean stalled() {
            return stalled;
        }

        /** There is space again, or the stream is over. Returns how long there was none. */
        long onSpace(long nowNs) {
            stalled = false;
            long durationNs = nowNs - stallBeganNs;
            stalledNs += durationNs;
            return durationNs;
        }

        void onWork(StreamWork work) {
            if (work.kind() == StreamWork.Kind.DATA || work.kind() == StreamWork.Kind.SHORT) {
                messagesSent++;
                writtenCopies += work.length();
            }
        }

        /** Bytes came in a Send, and were copied to the receive buffer. */
        void onShort(int bytes) {
            readCopies += bytes;
        }

        void onMessage() {
            messagesReceived++;
        }

        boolean heard() {
            return messagesReceived > 0;
        }

        long read() {
            return read;
        }

        long written() {
            return written;
        }

        StreamFigures figures(StreamEngine engine) {
            int receiveBytes = engine.receiveBufferBytes();
            int sendBytes = engine.sendBufferBytes();
            BufferPhase phase = BufferPhase.of(Math.max(receiveBytes, sendBytes), engine.settings());
            return new StreamFigures(
                    new Direction(written, messagesSent, writes, writtenCopies),
                    new Direction(read, messagesReceived, reads, readCopies),
                    engine.credits(),
                    new Stalls(stalls, stalledNs),
                    new Buffers(receiveBytes, sendBytes, engine.available(), engine.unfinished(), phase));
        }
    }
}
