package io.verbena.messaging;

import io.verbena.messaging.protocol.BroadcastTree;
import io.verbena.messaging.protocol.Contexts;
import java.lang.foreign.MemorySegment;

/** The barrier and the broadcast among all ranks, whose ranks depend on as few others as possible; the caller has entered the guard. */
final class TreeCollectives {

    private final int rank;
    private final int size;
    private final Messenger messenger;
    private final PointToPoint messages;
    private final Status ignored = new Status();
    private int nextTag; // of a broadcast; 31 bits, which wrap around, since negative tags have a meaning

    TreeCollectives(int rank, int size, Messenger messenger, PointToPoint messages) {
        this.rank = rank;
        this.size = size;
        this.messenger = messenger;
        this.messages = messages;
    }

    /** Returns when all ranks have called it. */
    void barrier() {
        // Dissemination: in round k each rank notifies the rank 2^k after it and waits for the rank 2^k before it.
        MemorySegment nothing = MemorySegment.NULL;
        for (int distance = 1; distance < size; distance *= 2) {
            // The receive is started first: a send may wait for its receive, and here all ranks wait for each other in
            // a ring.
            int from = Math.floorMod(rank - distance, size);
            MessageRequest receive = messages.receiveOperation(nothing, 0, 0, from, distance, Contexts.BARRIERS);
            messenger.receive(receive);
            boolean sent = false;
            try {
                messages.send(nothing, 0, 0, (rank + distance) % size, distance, Contexts.BARRIERS);
                sent = true;
            } finally {
                if (!sent) {
                    messenger.cancel(receive);
                }
            }
            messages.finish(receive, ignored);
        }
    }

    /** Copies the bytes of the root to all ranks. A rank that does not receive them does not send them either. */
    void broadcast(MemorySegment buffer, long offset, long length, int root) {
        int tag = nextTag;
        nextTag = nextTag + 1 & Integer.MAX_VALUE;
        int relative = BroadcastTree.relative(rank, root, size);
        int distance = 1;
        while (distance < size && (relative & distance) == 0) {
            distance *= 2;
        }
        if (relative != 0) {
            int parent = BroadcastTree.absolute(relative - distance, root, size);
            receiveFrom(parent, buffer, offset, length, root, tag);
        }
        RankFailedException failure = null;
        for (distance /= 2; distance >= 1; distance /= 2) {
            if (relative + distance < size) {
                try {
                    int child = BroadcastTree.absolute(relative + distance, root, size);
                    messages.send(buffer, offset, length, child, tag, Contexts.COLLECTIVES);
                } catch (RankFailedException e) {
                    failure = e; // the other children do not depend on this one
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void receiveFrom(int parent, MemorySegment buffer, long offset, long length, int root, int tag) {
        boolean received = false;
        try {
            MessageRequest receive =
                    messages.receiveOperation(buffer, offset, length, parent, tag, Contexts.COLLECTIVES);
            receive.inTree(root, rank);
            messages.receive(receive, ignored);
            received = true;
        } finally {
            if (!received) {
                messenger.abandonCollective(tag);
            }
        }
    }
}
