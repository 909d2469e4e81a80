package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Digest;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;

/** A reliable connection from one endnode to another. Each message is compared at its destination when it has completed. */
final class VerbsFlow {

    private final int number;
    private final VerbsLoad load;
    private final VerbsNode from;
    private final VerbsNode to;
    private final long fromOffset;
    private final long toOffset;
    private final long[] postedAtNs;
    final QueuePair source;
    final QueuePair target;
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
        source = from.queuePair(load.depth());
        target = to.queuePair(1);
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
            if (!source.postWrite(
                    number,
                    from.memory(),
                    fromOffset + at,
                    load.messageBytes(),
                    to.memory().remote(),
                    toOffset + at,
                    WrFlags.SIGNALLED)) {
                return;
            }
            postedAtNs[(int) slot(posted)] = nowNs;
            posted++;
        }
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
