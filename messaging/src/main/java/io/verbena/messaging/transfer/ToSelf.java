package io.verbena.messaging.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages of a rank to itself. */
public final class ToSelf {

    /** The limit for a send whose message is not copied before its receive. */
    public static final int NO_COPY = -1;

    private static final int MAX_KEPT_BYTES = 1 << 30;

    private final int rank;
    private final Mailbox mailbox;

    public ToSelf(int rank, Mailbox mailbox) {
        this.rank = rank;
        this.mailbox = mailbox;
    }

    /** Copies the message to its receive, or keeps a copy for a later receive. */
    public void send(MemorySegment buffer, long offset, long length, int tag, int context) {
        Operation receive = mailbox.receiveFor(rank, tag, context);
        if (receive != null) {
            copy(buffer, offset, length, receive, tag);
            return;
        }
        if (length > MAX_KEPT_BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + length + " bytes from this rank to itself has no receive and is too large to be"
                            + " copied: start the receive first, or send it with isend");
        }
        Unexpected kept = mailbox.keep(rank, tag, context, (int) length);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, kept.payload, 0, (int) length);
    }

    /** Starts a send; a message longer than {@code copyLimit} stays in its buffer until it is received. */
    public void start(Operation send, int copyLimit) {
        if (send.length <= copyLimit) {
            send(send.buffer, send.offset, send.length, send.tag(), send.context());
            send.sent();
            return;
        }
        Operation receive = mailbox.receiveFor(rank, send.tag(), send.context());
        if (receive != null) {
            copy(send.buffer, send.offset, send.length, receive, send.tag());
            send.sent();
            return;
        }
        Unexpected kept = mailbox.keep(rank, send.tag(), send.context(), 0);
        kept.length = send.length;
        kept.own = send;
    }

    /** A receive takes a message that stayed in its buffer. */
    public void receive(Operation receive, Unexpected kept, Operation send) {
        kept.own = null;
        copy(send.buffer, send.offset, send.length, receive, kept.tag());
        send.sent();
    }

    private void copy(MemorySegment from, long offset, long length, Operation receive, int tag) {
        MemorySegment.copy(from, offset, receive.buffer, receive.offset, Math.min(length, receive.length));
        receive.received(rank, tag, length);
    }
}
