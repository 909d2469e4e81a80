package io.verbena.verbs;

import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A send queue and a receive queue.
 *
 * <p>One thread at a time posts to a queue pair (checked when assertions are on). Every posting method returns true when
 * the request was taken, and false, without effect, when the queue is full: poll completions and try again. Work posted to
 * a queue pair in error is taken and completes flushed. Misuse (a length outside the region, work that the transport does
 * not have, a Send before the connection) throws an unchecked exception with a sentence.
 */
public interface QueuePair extends AutoCloseable {

    /** Number of this queue pair, unpredictable and unique within its RNIC. */
    int number();

    /** Your own object, given at creation. */
    Object context();

    ProtectionDomain protectionDomain();

    CompletionQueue sendCq();

    CompletionQueue receiveCq();

    /** State now; may change at any moment. */
    QueuePairState state();

    /** Query QP: the whole queue pair context. */
    QueuePairAttributes query();

    /**
     * Modify QP: moves to another state or changes attributes.
     *
     * @throws IllegalStateException when the state machine does not allow it
     */
    void modify(QueuePairChange change);

    /** A new template for {@link #post} and {@link #postReceive(WorkRequest)}. */
    WorkRequest newWorkRequest();

    /** Posts a template to the send queue, or to the receive queue if it is a receive. */
    boolean post(WorkRequest request);

    boolean postSend(long wrId, MemoryRegion region, long offset, int length, WrFlags flags);

    boolean postWrite(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags);

    boolean postRead(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags);

    /** Compare-and-swap of a remote 64-bit word; the original value goes to 8 bytes at {@code offset}. */
    boolean postCompareAndSwap(
            long wrId,
            MemoryRegion local,
            long offset,
            long remoteAddress,
            int rkey,
            long expected,
            long desired,
            WrFlags flags);

    /** Fetch-and-add on a remote 64-bit word; the original value goes to 8 bytes at {@code offset}. */
    boolean postFetchAndAdd(
            long wrId, MemoryRegion local, long offset, long remoteAddress, int rkey, long addend, WrFlags flags);

    boolean postReceive(long wrId, MemoryRegion region, long offset, int length);

    /** {@link #postWrite} to a place in a remote region. */
    default boolean postWrite(
            long wrId,
            MemoryRegion local,
            long offset,
            int length,
            RemoteRegion remote,
            long remoteOffset,
            WrFlags flags) {
        return postWrite(wrId, local, offset, length, remote.address() + remoteOffset, remote.rkey(), flags);
    }

    /** {@link #postRead} from a place in a remote region. */
    default boolean postRead(
            long wrId,
            MemoryRegion local,
            long offset,
            int length,
            RemoteRegion remote,
            long remoteOffset,
            WrFlags flags) {
        return postRead(wrId, local, offset, length, remote.address() + remoteOffset, remote.rkey(), flags);
    }

    /** From now on posting does not ring the doorbell; {@link #ringDoorbell} does it for all. */
    void startBatch();

    /** Ends a batch: the RNIC sees all that was posted since {@link #startBatch}. */
    void ringDoorbell();

    /**
     * Raw datagrams: from now on frames with this next header (empty: any) for this destination (empty: any of ours) come to
     * this queue pair, until the answer is closed.
     *
     * @throws UnsupportedOperationException when the queue pair has another service
     */
    default AutoCloseable steer(OptionalInt nextHeader, Optional<InetAddress> destination) {
        throw new UnsupportedOperationException("Only a queue pair of raw datagrams takes frames by their headers.");
    }

    /** The connection, once there is one. */
    Optional<Connection> connection();

    /** Destroys the queue pair: its connection is aborted, pending work is flushed first, a batch that was not rung too. */
    @Override
    void close();
}
