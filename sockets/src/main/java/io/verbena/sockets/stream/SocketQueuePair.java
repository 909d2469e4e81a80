package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamWork;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Posts what the engine of a socket wants. A message is the immediate data of a Write; on iWARP with a peer that has no
 * immediate data, a Send of four bytes in the byte order of the machine. Short data are a Send if that was agreed.
 */
final class SocketQueuePair {

    private static final long U32 = 0xFFFF_FFFFL;

    private final QueuePair queuePair;
    private final SocketMemory memory;
    private final WorkRequest request;
    private boolean batching;
    private final MemorySegment message = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);

    SocketQueuePair(QueuePair queuePair, SocketMemory memory) {
        this.queuePair = queuePair;
        this.memory = memory;
        request = queuePair.newWorkRequest();
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Posts a receive for one message. */
    void receive(int index) {
        SocketMemory.Receives receives = memory.receives();
        accepted(queuePair.postReceive(index, receives.region(), receives.offset(index), receives.length()));
    }

    /** Copies the next bytes of a buffer to memory of the peer. Returns false if that is not possible, or only for a part of them. */
    boolean place(ByteBuffer source, int bytes, long remoteAddress, int remoteKey) {
        return queuePair.writeNow(source, source.position(), bytes, remoteAddress, remoteKey);
    }

    /** The same with bytes that a channel reads once. See {@link QueuePair#writeNow(ByteSource, int, long, int)}. */
    int placeFrom(ByteSource source, int most, long remoteAddress, int remoteKey) throws IOException {
        return queuePair.writeNow(source, most, remoteAddress, remoteKey);
    }

    /** Posts work. It leaves at once unless other work follows; {@link #flush} is the last call. */
    void post(StreamWork work, boolean immediate) {
        if (work.followed() && !batching) {
            batching = true;
            queuePair.startBatch();
        }
        if (work.kind() == StreamWork.Kind.CONFIRM) {
            request.read(work.remoteAddress(), work.remoteKey());
            last(work);
            return;
        }
        if (work.kind() == StreamWork.Kind.SHORT) {
            payload(request.send(), work);
            last(work);
            return;
        }
        if (immediate || work.kind() == StreamWork.Kind.PROBE) {
            payload(write(work, immediate), work);
            last(work);
            return;
        }
        if (work.kind() != StreamWork.Kind.MESSAGE) {
            payload(request.write(work.remoteAddress(), work.remoteKey()), work);
            accepted(queuePair.post(request.id(work.id()).flags(WrFlags.UNSIGNALLED)));
        }
        message.set(ValueLayout.JAVA_INT, 0, work.message());
        request.send().inlineData(message, 0, Integer.BYTES);
        last(work);
    }

    /** What was posted leaves. */
    void flush() {
        if (batching) {
            batching = false;
            queuePair.ringDoorbell();
        }
    }

    private WorkRequest write(StreamWork work, boolean immediate) {
        return immediate && work.kind() != StreamWork.Kind.PROBE
                ? request.writeWithImmediate(work.remoteAddress(), work.remoteKey(), work.message() & U32)
                : request.write(work.remoteAddress(), work.remoteKey());
    }

    private static void payload(WorkRequest request, StreamWork work) {
        switch (work.kind()) {
            case DATA, SHORT -> {
                SocketMemory.Slice slice = (SocketMemory.Slice) work.memory();
                request.element(slice.region(), slice.offset() + work.offset(), work.length());
            }
            case TARGET ->
                request.inlineData(work.entry(), 0, (int) work.entry().byteSize());
            case MESSAGE, PROBE, CONFIRM -> {}
        }
    }

    private void last(StreamWork work) {
        accepted(queuePair.post(
                request.id(work.id()).flags(work.signalled() ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED)));
    }

    private static void accepted(boolean posted) {
        if (!posted) {
            throw new IllegalStateException("a work queue of a socket is full, although its entries are counted");
        }
    }
}
