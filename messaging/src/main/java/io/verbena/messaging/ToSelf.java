package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages of a rank to itself. */
final class ToSelf {

    private static final int LARGEST_KEPT_BYTES = 1 << 30;

    private final Transport transport;
    private final int rank;
    private final Matching<Operation, Unexpected> matching;

    ToSelf(Transport transport, int rank, Matching<Operation, Unexpected> matching) {
        this.transport = transport;
        this.rank = rank;
        this.matching = matching;
    }

    /** Copies the message to its receive, or for one to come. */
    void send(MemorySegment buffer, long offset, long length, int tag, int context) {
        Operation receive = matching.onMessage(rank, tag, context);
        if (receive != null) {
            copy(buffer, offset, length, receive, tag);
            return;
        }
        if (length > LARGEST_KEPT_BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + length + " bytes from this rank to itself has no receive,"
                            + " and is too large to be kept for one: start the receive first, or send it with isend");
        }
        Unexpected kept = transport.keep(rank, tag, context, (int) length);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, kept.payload, 0, (int) length);
    }

    /** Begins a send of this rank to itself; a large one stays in its buffer until a receive wants it. */
    void start(Operation send) {
        if (send.length <= transport.rendezvousThresholdBytes()) {
            send(send.buffer, send.offset, send.length, send.tag(), send.context());
            send.sent();
            return;
        }
        Operation receive = matching.onMessage(rank, send.tag(), send.context());
        if (receive != null) {
            copy(send.buffer, send.offset, send.length, receive, send.tag());
            send.sent();
            return;
        }
        Unexpected kept = transport.keep(rank, send.tag(), send.context(), 0);
        kept.length = send.length;
        kept.own = send;
    }

    void copy(MemorySegment from, long offset, long length, Operation receive, int tag) {
        MemorySegment.copy(from, offset, receive.buffer, receive.offset, Math.min(length, receive.length));
        receive.received(rank, tag, length);
    }
}
