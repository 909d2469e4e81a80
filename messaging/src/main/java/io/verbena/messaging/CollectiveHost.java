package io.verbena.messaging;

import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.ProgressLoop;
import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What collective operations need of the messages of a rank. */
interface CollectiveHost extends ProgressLoop {

    /** An operation that no program holds; to be returned by {@link #recycle}. */
    MessageRequest operation();

    void recycle(MessageRequest operation);

    /** Sends a message at once if possible. */
    boolean sendNow(MemorySegment buffer, long offset, long length, int dest, int tag, int context);

    /** Starts a send that cannot be completed at once. */
    void send(Operation operation);

    /** Starts a receive. */
    void receive(Operation operation);

    /** Fails an operation for which nothing is in progress. */
    void giveUp(Operation operation, String sentence, List<Integer> died);

    /**
     * A part of a failed operation shall not be waited for; {@link Operation#detached} is true when its
     * memory is free.
     */
    void abandon(Operation operation);

    Peer peer(int other);

    /** Fails the messages of a communicator that was revoked. */
    void revoke(int communicator, String sentence);

    /** Returns the first of the oldest messages without a receive that satisfies a condition; null if there is none. */
    @Nullable
    Unexpected first(Predicate<Unexpected> which);

    /** Discards messages that no receive waits for; their senders do not wait for one. */
    void discard(Predicate<Unexpected> which);
}
