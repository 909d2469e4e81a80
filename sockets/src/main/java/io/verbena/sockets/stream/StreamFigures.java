package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamEngine;
import io.verbena.sockets.protocol.StreamWork;

/**
 * What a socket has done until now.
 *
 * @param read bytes that the program has read
 * @param written bytes that the program has written
 * @param messagesSent data messages, each one RDMA Write
 * @param messagesReceived messages of every kind
 * @param stalls writes that found no space
 * @param buffers the sizes of the buffers now
 */
public record StreamFigures(
        long read, long written, long messagesSent, long messagesReceived, long stalls, Buffers buffers) {

    /**
     * The buffers of a socket now.
     *
     * @param receiveBytes size of the receive buffer
     * @param sendBytes size of the send buffer
     * @param availableBytes bytes that can be read
     * @param unfinishedBytes bytes that were written and have not yet arrived
     */
    public record Buffers(int receiveBytes, int sendBytes, int availableBytes, int unfinishedBytes) {}

    /** The numbers while they grow. */
    static final class Counters {
        private long read;
        private long written;
        private long messagesSent;
        private long messagesReceived;
        private long stalls;

        void onRead(int bytes) {
            read += bytes;
        }

        void onWritten(int bytes) {
            written += bytes;
        }

        void onStall() {
            stalls++;
        }

        void onWork(StreamWork work) {
            if (work.kind() == StreamWork.Kind.DATA) {
                messagesSent++;
            }
        }

        void onMessage() {
            messagesReceived++;
        }

        long read() {
            return read;
        }

        long written() {
            return written;
        }

        StreamFigures figures(StreamEngine engine) {
            Buffers buffers = new Buffers(
                    engine.receiveBufferBytes(), engine.sendBufferBytes(), engine.available(), engine.unfinished());
            return new StreamFigures(read, written, messagesSent, messagesReceived, stalls, buffers);
        }
    }
}
