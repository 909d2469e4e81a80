package io.verbena.tools.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Digest;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Programs of ranks that verify what they receive. They know nothing of where they run. */
public enum RankProgram {
    /** All ranks wait for each other. */
    BARRIER {
        @Override
        void round(Communicator world, Buffers buffers, int round) {
            world.barrier();
        }
    },
    /** The ranks broadcast in turn. */
    BROADCAST {
        @Override
        void round(Communicator world, Buffers buffers, int round) {
            int root = round % world.size();
            MemorySegment message = buffers.in(0);
            if (world.rank() == root) {
                fill(message, root, round);
            }
            world.bcast(message, root);
            check(message, root, round);
        }
    },
    /** Each rank sends to the next one and receives from the one before it. */
    RING {
        @Override
        void round(Communicator world, Buffers buffers, int round) {
            int before = (world.rank() + world.size() - 1) % world.size();
            fill(buffers.out(), world.rank(), round);
            world.sendrecv(buffers.out(), (world.rank() + 1) % world.size(), TAG, buffers.in(0), before, TAG);
            check(buffers.in(0), before, round);
        }
    },
    /** Each rank sends to all others. */
    ALL_TO_ALL {
        @Override
        void round(Communicator world, Buffers buffers, int round) {
            fill(buffers.out(), world.rank(), round);
            List<Request> requests = new ArrayList<>();
            for (int i = 1; i < world.size(); i++) {
                int other = (world.rank() + i) % world.size();
                requests.add(world.irecv(buffers.in(other), other, TAG));
                requests.add(world.isend(buffers.out(), other, TAG));
            }
            requests.forEach(Request::await);
            for (int other = 0; other < world.size(); other++) {
                if (other != world.rank()) {
                    check(buffers.in(other), other, round);
                }
            }
        }
    };

    private static final int TAG = 1;

    abstract void round(Communicator world, Buffers buffers, int round);

    /** The memory of a rank: one buffer to send, and one to receive from each other rank. */
    private record Buffers(MemorySegment out, MemorySegment all, long bytes) {
        MemorySegment in(int rank) {
            return all.asSlice(rank * bytes, bytes);
        }
    }

    /**
     * Runs all rounds on one rank, after one that establishes all connections.
     *
     * @param begins is called before the first round that counts
     * @param ended is called after each round that counts
     * @throws IllegalStateException if a message differs from what was sent
     */
    public void run(Communicator world, int bytes, int rounds, Runnable begins, Runnable ended) {
        try (Arena arena = Arena.ofShared()) {
            Buffers buffers = new Buffers(arena.allocate(bytes), arena.allocate((long) bytes * world.size()), bytes);
            round(world, buffers, 0);
            world.barrier();
            begins.run();
            for (int round = 0; round < rounds; round++) {
                round(world, buffers, round);
                ended.run();
            }
            world.barrier();
        }
    }

    private static long word(int rank, int round, long at) {
        return Digest.mix((long) rank << 32 | round, at);
    }

    private static void fill(MemorySegment bytes, int rank, int round) {
        for (long at = 0; at + Long.BYTES <= bytes.byteSize(); at += Long.BYTES) {
            bytes.set(JAVA_LONG_UNALIGNED, at, word(rank, round, at));
        }
    }

    private static void check(MemorySegment bytes, int rank, int round) {
        for (long at = 0; at + Long.BYTES <= bytes.byteSize(); at += Long.BYTES) {
            if (bytes.get(JAVA_LONG_UNALIGNED, at) != word(rank, round, at)) {
                throw new IllegalStateException(
                        "byte " + at + " of the message of rank " + rank + " in round " + round + " is wrong");
            }
        }
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
