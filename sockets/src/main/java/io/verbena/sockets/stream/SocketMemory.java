package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.StreamBuffers;
import io.verbena.sockets.protocol.StreamEngine;
import io.verbena.sockets.protocol.StreamMemory;
import io.verbena.sockets.protocol.StreamSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The registered memory of one socket: two regions of 1 KiB each, one that the peer writes and one that it cannot reach,
 * and a region for each buffer that has grown.
 *
 * <pre>
 *    for the peer:  | table of targets | receive buffer |
 *    for this side: | send buffer | 4 bytes for each receive |
 * </pre>
 */
final class SocketMemory implements StreamBuffers {

    private static final int REGION_BYTES = 1024;

    /** Bytes of a message that is a Send. */
    static final int MESSAGE_BYTES = Integer.BYTES;

    private final ProtectionDomain domain;
    private final Budget budget;
    private final Consumer<Runnable> background;
    private final MemoryRegion forPeer;
    private final MemoryRegion ours;
    private final Receives messages;
    private Receives receives;
    private final List<Grown> grown = new ArrayList<>();
    private final Queue<Grown> released = new ConcurrentLinkedQueue<>();

    final Slice table;
    final Slice receiveBuffer;
    final Slice sendBuffer;

    /** A part of a region. */
    record Slice(MemoryRegion region, long offset, ByteBuffer bytes, long address, int key) implements StreamMemory {
        static Slice of(MemoryRegion region, long offset, int length, boolean remote) {
            return new Slice(
                    region,
                    offset,
                    region.segment().asSlice(offset, length).asByteBuffer(),
                    region.address() + offset,
                    remote ? region.rkey() : 0);
        }
    }

    /** The memory of the receives: {@code length} bytes each, from {@code at} in the region and 0 in its bytes. */
    record Receives(MemoryRegion region, long at, ByteBuffer bytes, int length) {
        long offset(int receive) {
            return at + index(receive);
        }

        int index(int receive) {
            return receive * length;
        }
    }

    private record Grown(Slice slice, int bytes) {}

    SocketMemory(ProtectionDomain domain, Budget budget, Consumer<Runnable> background, int receives) {
        this.domain = domain;
        this.background = background;
        this.budget = budget;
        int buffer = initialBytes(receives);
        forPeer = domain.allocate(REGION_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        ours = domain.allocate(REGION_BYTES, AccessRight.LOCAL_WRITE);
        table = Slice.of(forPeer, 0, StreamEngine.tableBytes(), true);
        receiveBuffer = Slice.of(forPeer, StreamEngine.tableBytes(), buffer, true);
        sendBuffer = Slice.of(ours, 0, buffer, false);
        ByteBuffer bytes = ours.segment()
                .asSlice(buffer, (long) receives * MESSAGE_BYTES)
                .asByteBuffer()
                .order(ByteOrder.nativeOrder());
        messages = new Receives(ours, buffer, bytes, MESSAGE_BYTES);
        this.receives = messages;
    }

    /** The first size of both buffers: what is left of a region. */
    static int initialBytes(int receives) {
        return REGION_BYTES - Math.max(StreamEngine.tableBytes(), receives * MESSAGE_BYTES) & -8;
    }

    static StreamSettings settings(
            int credits, int sendSlots, StreamOptions options, boolean immediate, boolean infiniband) {
        int initial = initialBytes(credits + StreamSettings.CONTROL_MESSAGES);
        int most = Math.max(initial, options.mostBufferBytes());
        return new StreamSettings(credits, sendSlots, initial, most, immediate, infiniband);
    }

    /** Where the Sends of the peer arrive that use receives posted now. */
    Receives receives() {
        return receives;
    }

    /** A message that is a Send: no other Sends were agreed. */
    int message(int receive) {
        return messages.bytes.getInt(messages.index(receive));
    }

    @Override
    public boolean provideShorts() {
        int most = messages.bytes.capacity() / MESSAGE_BYTES;
        grow(most * StreamSettings.SHORT_BYTES, false, AccessRight.LOCAL_WRITE)
                .ifPresent(slice ->
                        receives = new Receives(slice.region, slice.offset, slice.bytes, StreamSettings.SHORT_BYTES));
        return receives != messages;
    }

    @Override
    public Optional<StreamMemory> receiveBuffer(int bytes) {
        return grow(bytes, true, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE)
                .map(slice -> slice);
    }

    @Override
    public Optional<StreamMemory> sendBuffer(int bytes) {
        return grow(bytes, false, AccessRight.LOCAL_WRITE).map(slice -> slice);
    }

    private Optional<Slice> grow(int bytes, boolean remote, AccessRight... rights) {
        if (!budget.take(bytes)) {
            return Optional.empty();
        }
        Slice slice;
        try {
            slice = Slice.of(domain.allocate(bytes, rights), 0, bytes, remote);
        } catch (RuntimeException | OutOfMemoryError e) {
            budget.giveBack(bytes);
            return Optional.empty(); // the stream keeps its small buffer
        }
        grown.add(new Grown(slice, bytes));
        return Optional.of(slice);
    }

    @Override
    public void release(StreamMemory memory) {
        for (int i = 0; i < grown.size(); i++) {
            Grown one = grown.get(i);
            if (one.slice == memory) {
                released.add(grown.remove(i));
                background.accept(this::closeReleased);
                return;
            }
        }
        // The first buffers share their regions with the table and the messages, and live as long as the socket.
    }

    /** Closing waits until no engine is inside the memory, and the thread that releases it may be that of an engine. */
    private synchronized void closeReleased() {
        for (Grown one = released.poll(); one != null; one = released.poll()) {
            one.slice.region.close();
            budget.giveBack(one.bytes);
        }
    }

    /** Closes what is open. The queue pair is closed. */
    void close() {
        released.addAll(grown);
        grown.clear();
        closeReleased();
        forPeer.close();
        ours.close();
    }
}
