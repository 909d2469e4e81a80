package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Blocking and non-blocking sends and receives of one rank in any context; the caller has entered the guard. */
final class PointToPoint {

    /** Largest tag of a program. */
    static final int MAX_TAG = (1 << 30) - 1;

    private final int rank;
    private final int size;
    private final Messenger messenger;

    PointToPoint(int rank, int size, Messenger messenger) {
        this.rank = rank;
        this.size = size;
        this.messenger = messenger;
    }

    /** Sends a message; when the call returns the buffer is free. */
    void send(MemorySegment buffer, long offset, long length, int dest, int tag, int context) {
        if (messenger.sendNow(buffer, offset, length, dest, tag, context)) {
            return;
        }
        Operation operation = messenger.operation().start(true, buffer, offset, length, dest, tag, context);
        messenger.send(operation);
        complete(operation);
        messenger.recycle(operation);
    }

    /** Starts a send whose operation the program holds. */
    Operation startSend(MemorySegment buffer, long offset, long length, int dest, int tag) {
        Operation operation =
                new Operation(messenger).start(true, buffer, offset, length, dest, tag, Contexts.MESSAGES);
        if (dest != rank && messenger.sendNow(buffer, offset, length, dest, tag, Contexts.MESSAGES)) {
            operation.sent();
        } else {
            messenger.send(operation);
        }
        return operation;
    }

    /** Starts a receive whose operation the program holds. */
    Operation startReceive(MemorySegment buffer, long offset, long length, int source, int tag) {
        Operation operation =
                new Operation(messenger).start(false, buffer, offset, length, source, tag, Contexts.MESSAGES);
        messenger.receive(operation);
        return operation;
    }

    /** An operation for a receive, to be passed to {@link #receive}. */
    Operation receiveOperation(MemorySegment buffer, long offset, long length, int source, int tag, int context) {
        return messenger.operation().start(false, buffer, offset, length, source, tag, context);
    }

    /** Receives a message and reports it in a status. */
    void receive(Operation operation, Status status) {
        messenger.receive(operation);
        finish(operation, status);
    }

    /** Waits for a receive that has been started. */
    void finish(Operation receive, Status status) {
        complete(receive);
        Status found = receive.status();
        status.set(found.source(), found.tag(), found.count());
        messenger.recycle(receive);
    }

    /** Sends and receives at once. If the send fails the receive is withdrawn. */
    Status exchange(
            MemorySegment sendBuffer, int dest, int sendTag, MemorySegment receiveBuffer, int source, int receiveTag) {
        Operation receive =
                receiveOperation(receiveBuffer, 0, receiveBuffer.byteSize(), source, receiveTag, Contexts.MESSAGES);
        messenger.receive(receive);
        boolean sent = false;
        try {
            send(sendBuffer, 0, sendBuffer.byteSize(), dest, sendTag, Contexts.MESSAGES);
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
    private void complete(Operation operation) {
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
