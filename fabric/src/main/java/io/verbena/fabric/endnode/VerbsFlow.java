package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Digest;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A reliable connection from one endnode to another. Each message is compared at its destination when it has completed. Where the adapter at the
 * destination performs no incoming RDMA, its software performs the Writes.
 */
final class VerbsFlow {

    // Kinds of work, above the number of the flow.
    private static final int KIND_SHIFT = Integer.SIZE;
    private static final int WRITE = 0;
    private static final int REQUEST = 1;
    private static final int ARRIVED = 2;
    private static final int ANSWER = 3;
    private static final int RESULT = 4;

    private final int number;
    private final VerbsLoad load;
    private final VerbsNode from;
    private final VerbsNode to;
    private final long fromOffset;
    private final long toOffset;
    private final long[] postedAtNs;
    final QueuePair source;
    final QueuePair target;
    private final Optional<RdmaClient> client;
    private final Optional<RdmaServer> server;
    private boolean failed;
    private int posted;
    private int completed;

    /**
     * A flow without a connection.
     *
     * @param fromOffset of its buffers in the memory of {@code from}; those at the destination are at {@code toOffset}
     */
    VerbsFlow(int number, VerbsLoad load, VerbsNode from, VerbsNode to, long fromOffset, long toOffset) {
        this.number = number;
        this.load = load;
        this.from = from;
        this.to = to;
        this.fromOffset = fromOffset;
        this.toOffset = toOffset;
        postedAtNs = new long[load.depth()];
        int depth = load.depth();
        if (served(to.endnode.adapter())) {
            source = from.queuePair(2 * depth, depth);
            target = to.queuePair(2 * depth, depth);
            client = Optional.of(
                    new RdmaClient(source, id(REQUEST, number), id(RESULT, number), depth, load.messageBytes()));
            server = Optional.of(new RdmaServer(
                    target,
                    to.memory().segment(),
                    id(ARRIVED, number),
                    id(ANSWER, number),
                    depth,
                    load.messageBytes()));
        } else {
            source = from.queuePair(depth, 1);
            target = to.queuePair(1, 1);
            client = Optional.empty();
            server = Optional.empty();
        }
    }

    /** Whether software performs Writes to an adapter of a kind. */
    private static boolean served(AdapterKind to) {
        return !to.incomingRdma();
    }

    /** Completions that a flow to an adapter of a kind has at its source. */
    static int entriesOut(VerbsLoad load, AdapterKind to) {
        return served(to) ? 3 * load.depth() : load.depth();
    }

    /** Completions that a flow to an adapter of a kind has at its destination. */
    static int entriesIn(VerbsLoad load, AdapterKind to) {
        return served(to) ? 3 * load.depth() : 1;
    }

    private static long id(int kind, int number) {
        return (long) kind << KIND_SHIFT | number;
    }

    /** The number of the flow that some work belongs to. */
    static int number(long wrId) {
        return (int) wrId;
    }

    /** Some work has succeeded. Returns whether a message is complete. */
    boolean succeeded(long wrId, long bytes) {
        return switch ((int) (wrId >>> KIND_SHIFT)) {
            case ARRIVED -> {
                server.orElseThrow().onRequest(bytes);
                yield false;
            }
            case RESULT -> {
                if (!client.orElseThrow().onResult(bytes)) {
                    throw new IllegalStateException(to.endnode + " has not performed a Write of " + from.endnode);
                }
                yield true;
            }
            case WRITE -> true;
            default -> false;
        };
    }

    VerbsNode from() {
        return from;
    }

    VerbsNode to() {
        return to;
    }

    boolean done() {
        return completed == load.messages();
    }

    /** The connection has failed. Returns false if that is known already. */
    boolean fail() {
        boolean first = !failed;
        failed = true;
        return first;
    }

    /** Loads the alternate path at both ends, between the second ports, if both endnodes have one. */
    void loadAlternate() {
        if (from.endnode.ports() > 1 && to.endnode.ports() > 1) {
            loadAlternate(source, to.endnode);
            loadAlternate(target, from.endnode);
        }
    }

    private static void loadAlternate(QueuePair queuePair, Endnode peer) {
        queuePair.modify(QueuePairChange.none()
                .withPath(PathAttributes.to(AddressHandleAttributes.to(peer.gid(0)))
                        .withAlternate(AddressHandleAttributes.to(peer.gid(1)), PathMigration.REARM)));
    }

    /** Posts as many messages as may be outstanding. */
    void post(long nowNs) {
        while (posted < load.messages() && posted - completed < load.depth()) {
            long at = slot(posted) * load.messageBytes();
            fill(from.memory().segment().asSlice(fromOffset + at, load.messageBytes()), posted);
            if (!write(fromOffset + at, toOffset + at)) {
                return;
            }
            postedAtNs[(int) slot(posted)] = nowNs;
            posted++;
        }
    }

    private boolean write(long offset, long remoteOffset) {
        int bytes = load.messageBytes();
        return client.isPresent()
                ? client.get().write(from.memory(), offset, bytes, remoteOffset)
                : source.postWrite(
                        number, from.memory(), offset, bytes, to.memory().remote(), remoteOffset, WrFlags.SIGNALLED);
    }

    private long slot(int message) {
        return message % load.depth();
    }

    /** The oldest message has completed; returns when it was posted. */
    long complete() {
        long at = toOffset + slot(completed) * load.messageBytes();
        check(to.memory().segment().asSlice(at, load.messageBytes()), completed);
        return postedAtNs[(int) slot(completed++)];
    }

    private long word(int message, long offset) {
        return Digest.mix((long) number << 32 | message, offset);
    }

    private void fill(MemorySegment bytes, int message) {
        for (long at = 0; at + Long.BYTES <= bytes.byteSize(); at += Long.BYTES) {
            bytes.set(JAVA_LONG_UNALIGNED, at, word(message, at));
        }
    }

    private void check(MemorySegment bytes, int message) {
        for (long at = 0; at + Long.BYTES <= bytes.byteSize(); at += Long.BYTES) {
            if (bytes.get(JAVA_LONG_UNALIGNED, at) != word(message, at)) {
                throw new IllegalStateException("message " + message + " from " + from.endnode + " to " + to.endnode
                        + " has completed, but its byte " + at + " is wrong");
            }
        }
    }
}
