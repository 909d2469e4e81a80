package io.verbena.messaging;

import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Blocking and non-blocking sends and receives of one rank in any context; the caller has entered the guard. */
final class PointToPoint {

    /** Largest tag of a program. */
    static final int MAX_TAG = (1 << 30) - 1;

    private final int rank;
    private final int size;
    private final Messenger messenger;

    private final @Nullable Group group; // null: all ranks
    private final int context;

    /** Of all ranks. */
    PointToPoint(int rank, int size, Messenger messenger) {
        this(rank, size, messenger, null, Contexts.MESSAGES);
    }

    /** Of the ranks of a communicator. */
    PointToPoint(int rank, int size, Messenger messenger, @Nullable Group group, int context) {
        this.rank = rank;
        this.size = size;
        this.messenger = messenger;
        this.group = group;
        this.context = context;
    }

    /** The context of the messages of the program. */
    int context() {
        return context;
    }

    /** The ranks of the communicator; null for all. */
    @Nullable
    Group group() {
        return group;
    }

    /** Rank in the job of a rank of the communicator. */
    int world(int other) {
        Group ranks = group;
        return ranks == null || other < 0 ? other : ranks.world(other);
    }

    /** Rank in the communicator of a rank of the job. */
    int local(int other) {
        Group ranks = group;
        return ranks == null || other < 0 ? other : ranks.rankOf(other);
    }

    /** Sends a message; when the call returns the buffer is free. */
    void send(MemorySegment buffer, long offset, long length, int dest, int tag, int ofContext) {
        int peer = world(dest);
        if (messenger.sendNow(buffer, offset, length, peer, tag, ofContext)) {
            return;
        }
        MessageRequest operation = messenger
                .operation()
                .start(true, buffer, offset, length, peer, tag, ofContext)
                .in(group);
        messenger.send(operation);
        complete(operation);
        messenger.recycle(operation);
    }

    /** Starts a send whose operation the program holds. */
    MessageRequest startSend(MemorySegment buffer, long offset, long length, int dest, int tag) {
        MessageRequest operation = new MessageRequest(messenger)
                .start(true, buffer, offset, length, world(dest), tag, context)
                .in(group);
        if (dest != rank && messenger.sendNow(buffer, offset, length, world(dest), tag, context)) {
            operation.sent();
        } else {
            messenger.send(operation);
        }
        return operation;
    }

    /** Starts a send whose operation the program holds, and which is complete only when its receive has been matched. */
    MessageRequest startSynchronousSend(MemorySegment buffer, long offset, long length, int dest, int tag) {
        MessageRequest operation = new MessageRequest(messenger)
                .start(true, buffer, offset, length, world(dest), tag, context)
                .in(group);
        operation.synchronously();
        messenger.send(operation);
        return operation;
    }

    /** Sends a message; when the call returns a receive has been matched. */
    void sendSynchronously(MemorySegment buffer, long offset, long length, int dest, int tag) {
        complete(startSynchronousSend(buffer, offset, length, dest, tag));
    }

    /** Starts a receive whose operation the program holds. */
    MessageRequest startReceive(MemorySegment buffer, long offset, long length, int source, int tag) {
        MessageRequest operation = new MessageRequest(messenger)
                .start(false, buffer, offset, length, world(source), tag, context)
                .in(group);
        messenger.receive(operation);
        return operation;
    }

    /** Starts the receive of a message that was taken by a probe. */
    MessageRequest startReceive(Unexpected taken, MemorySegment buffer) {
        MessageRequest operation = new MessageRequest(messenger)
                .start(false, buffer, 0, buffer.byteSize(), taken.source(), taken.tag(), context)
                .in(group);
        messenger.receive(operation, taken);
        return operation;
    }

    /** An operation for a receive, to be passed to {@link #receive}. */
    MessageRequest receiveOperation(
            MemorySegment buffer, long offset, long length, int source, int tag, int ofContext) {
        return messenger
                .operation()
                .start(false, buffer, offset, length, world(source), tag, ofContext)
                .in(group);
    }

    /** Receives a message and reports it in a status. */
    void receive(MessageRequest operation, Status status) {
        messenger.receive(operation);
        finish(operation, status);
    }

    /** Waits for a receive that has been started. */
    void finish(MessageRequest receive, Status status) {
        complete(receive);
        Status found = receive.status();
        status.set(found.source(), found.tag(), found.count());
        messenger.recycle(receive);
    }

    /** Sends and receives at once. If the send fails the receive is withdrawn. */
    Status exchange(
            MemorySegment sendBuffer, int dest, int sendTag, MemorySegment receiveBuffer, int source, int receiveTag) {
        MessageRequest receive =
                receiveOperation(receiveBuffer, 0, receiveBuffer.byteSize(), source, receiveTag, context);
        messenger.receive(receive);
        boolean sent = false;
        try {
            send(sendBuffer, 0, sendBuffer.byteSize(), dest, sendTag, context);
            sent = true;
        } finally {
            if (!sent) {
                messenger.waiter().withdraw(receive, "The send of the exchange failed.");
            }
        }
        Status status = new Status();
        finish(receive, status);
        return status;
    }

    /** Waits for an operation that only this call knows. An operation whose wait is interrupted is withdrawn: its buffer is free. */
    private void complete(MessageRequest operation) {
        boolean waited = false;
        try {
            messenger.await(operation);
            waited = true;
        } finally {
            if (!waited) {
                messenger.waiter().withdraw(operation, "The wait was interrupted.");
            }
        }
        operation.check();
    }

    // Arguments.

    void checkRank(int other) {
        if (other < 0 || other >= size) {
            throw new IllegalArgumentException("ranks are 0 to " + (size - 1) + ", not " + other);
        }
    }

    void checkSource(int source) {
        if (source != Matching.ANY) {
            checkRank(source);
        }
    }

    void checkSend(MemorySegment buffer, long offset, long length, int dest) {
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        checkRank(dest);
    }

    void checkReceive(MemorySegment buffer, long offset, long length, int source) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer of a receive must be writable");
        }
        Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        checkSource(source);
    }

    static void checkTag(int tag) {
        if (tag < 0 || tag > MAX_TAG) {
            throw new IllegalArgumentException("tags are 0 to " + MAX_TAG + ", not " + tag);
        }
    }

    static void checkAnyTag(int tag) {
        if (tag != Matching.ANY) {
            checkTag(tag);
        }
    }
}
