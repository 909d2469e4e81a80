package io.verbena.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A send queue and a receive queue.
 *
 * <p>One thread at a time may post to a queue pair (checked if assertions are enabled); the other methods may be called
 * from any thread. Every posting method returns true if the request was accepted, and false, without effect, if the
 * queue is full: poll completions and try again. Work posted to a queue pair in the error state is accepted and
 * completes with status {@link CompletionStatus#FLUSHED}. Misuse throws an unchecked exception:
 * {@link IllegalArgumentException} for a range outside of the region or a region of another domain,
 * {@link IllegalStateException} for a Send before the connection is established or a closed region,
 * {@link UnsupportedOperationException} for an operation that the transport does not have.
 *
 * <p>An accepted request that fails reports the error in its completion. A Write or Send can complete successfully here
 * and still be refused by the peer: on iWARP the peer then ends the connection, and the reason is in
 * {@link Connection#termination()}.
 */
public interface QueuePair extends AutoCloseable {

    /** Queue pair number, unpredictable and unique within the RNIC. */
    int number();

    /** The object given at creation. */
    Object context();

    /** The protection domain of this queue pair. */
    ProtectionDomain protectionDomain();

    /** The CQ that receives completions of the send queue. */
    CompletionQueue sendCq();

    /** The CQ that receives completions of receives. */
    CompletionQueue receiveCq();

    /** The current state, which may change at any time. */
    QueuePairState state();

    /** Query QP: all attributes of the queue pair. */
    QueuePairAttributes query();

    /**
     * Modify QP: changes the state or attributes.
     *
     * @throws IllegalStateException if the state machine does not permit the transition
     */
    void modify(QueuePairChange change);

    /** A new, empty template for {@link #post}. */
    WorkRequest newWorkRequest();

    /** Posts a template to the send queue, or to the receive queue if it is a receive. */
    boolean post(WorkRequest request);

    /** Posts a Send of one buffer: {@code length} bytes at {@code offset} of the region. */
    boolean postSend(long wrId, MemoryRegion region, long offset, int length, WrFlags flags);

    /** Posts an RDMA Write of one buffer to an address of the peer. */
    boolean postWrite(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags);

    /**
     * Writes bytes of any buffer to memory of the peer within this call, without a work request and without the engine of the
     * peer. This needs shared memory, direct access ({@link IwarpOptions#withDirect}) to the region of the key, and an engine
     * that the calling thread can drive at once; a key must be used once before the peer grants access by it.
     *
     * <p>Nothing of the buffer is read after the call. Work that is posted after it is executed after it. It does not wait for
     * work that was posted before: no such work may access the same memory of the peer.
     *
     * @param position of the first byte in the buffer, whose own position and limit do not change
     * @return whether all bytes were written; if not, a part of them may have been
     */
    default boolean writeNow(ByteBuffer source, int position, int length, long remoteAddress, int rkey) {
        return false;
    }

    /** {@link #writeNow(ByteSource, int, long, int)} has not read the channel. */
    int IMPOSSIBLE = -2;

    /**
     * The same with bytes that a channel reads once, straight into the memory of the peer.
     *
     * @param source must not block: the peer waits for the end of the call if it closes its memory
     * @return the number of bytes; 0 if the channel has none now, -1 at its end; {@link #IMPOSSIBLE} if the memory cannot be written now, and
     *     then the channel was not read
     * @throws IOException if the channel has thrown it, or the peer has closed its memory meanwhile, so that the bytes are lost
     */
    default int writeNow(ByteSource source, int most, long remoteAddress, int rkey) throws IOException {
        return IMPOSSIBLE;
    }

    /** Posts an RDMA Read from an address of the peer into one buffer. */
    boolean postRead(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags);

    /**
     * Posts a compare-and-swap of a remote 64-bit word. The original value is stored in the 8 bytes at {@code offset}.
     */
    boolean postCompareAndSwap(
            long wrId,
            MemoryRegion local,
            long offset,
            long remoteAddress,
            int rkey,
            long expected,
            long desired,
            WrFlags flags);

    /** Posts a fetch-and-add on a remote 64-bit word. The original value is stored in the 8 bytes at {@code offset}. */
    boolean postFetchAndAdd(
            long wrId, MemoryRegion local, long offset, long remoteAddress, int rkey, long addend, WrFlags flags);

    /** Posts a receive of one buffer. */
    boolean postReceive(long wrId, MemoryRegion region, long offset, int length);

    /** Posts an RDMA Write to an offset of a remote region. */
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

    /** Posts an RDMA Read from an offset of a remote region. */
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

    /** Starts a batch: posting does not ring the doorbell until {@link #ringDoorbell}. */
    void startBatch();

    /** Ends a batch: the RNIC processes all requests posted since {@link #startBatch}. */
    void ringDoorbell();

    /**
     * Raw datagrams: delivers frames with this next header (empty: any) and this destination (empty: any local address)
     * to this queue pair, until the returned object is closed.
     *
     * @throws UnsupportedOperationException if the queue pair has another service
     */
    default AutoCloseable steer(OptionalInt nextHeader, Optional<InetAddress> destination) {
        throw new UnsupportedOperationException("Only queue pairs with service RAW_DATAGRAM receive frames by header.");
    }

    /**
     * Unreliable datagrams: receives the datagrams that are sent to a multicast group (ibv_attach_mcast). Joining a group
     * twice has no further effect. Returns when the queue pair receives them.
     *
     * @throws IOException if the network does not permit it
     * @throws UnsupportedOperationException if the queue pair has another service
     */
    default void joinGroup(InetAddress group) throws IOException {
        throw new UnsupportedOperationException(
                "Only queue pairs with service UNRELIABLE_DATAGRAM receive the datagrams of multicast groups.");
    }

    /**
     * Unreliable datagrams: receives no more datagrams of a multicast group (ibv_detach_mcast).
     *
     * @throws UnsupportedOperationException if the queue pair has another service
     */
    default void leaveGroup(InetAddress group) throws IOException {
        throw new UnsupportedOperationException(
                "Only queue pairs with service UNRELIABLE_DATAGRAM receive the datagrams of multicast groups.");
    }

    /** The connection, if there is one. */
    Optional<Connection> connection();

    /**
     * Destroys the queue pair: its connection is aborted and pending work is flushed, including a batch whose doorbell
     * was not rung.
     */
    @Override
    void close();
}
