package io.verbena.messaging;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;

/** Measures on this machine up to which length a copy through buffers is faster than a transfer from user memory. */
public final class Thresholds {

    private static final int MIN_BYTES = 1024;
    private static final int ROUNDS = 300;
    private static final int WARM_UP = 3000;

    private Thresholds() {}

    /**
     * Returns these options with a measured rendezvous threshold. Two ranks of this process exchange messages with both protocols for some
     * tenths of a second. Measure once in a job, for example on rank 0, and broadcast the result.
     */
    public static MessagingOptions measured(MessagingOptions options) {
        int most = options.channel().policy().lastThresholdBytes();
        int best = Math.min(MIN_BYTES, most) - 1;
        AtomicLongArray eager = measure(options.withRendezvousThresholdBytes(most), most);
        AtomicLongArray rendezvous = measure(options.withRendezvousThresholdBytes(0), most);
        int step = 0;
        for (int bytes = Math.min(MIN_BYTES, most); bytes > 0; bytes = next(bytes, most)) {
            if (eager.get(step) <= rendezvous.get(step)) {
                best = bytes;
            }
            step++;
        }
        return options.withRendezvousThresholdBytes(Math.max(0, best));
    }

    /** Lengths double up to the largest; 0 after it. */
    private static int next(int bytes, int most) {
        return bytes >= most ? 0 : Math.min(2 * bytes, most);
    }

    /** Duration of the fastest of some round trips in nanoseconds, for each length. */
    private static AtomicLongArray measure(MessagingOptions options, int most) {
        AtomicLongArray least = new AtomicLongArray(32);
        Ranks.run(2, options, world -> {
            MemorySegment buffer = Arena.ofAuto().allocate(most, 64);
            Status status = new Status();
            int step = 0;
            for (int bytes = Math.min(MIN_BYTES, most); bytes > 0; bytes = next(bytes, most)) {
                rounds(world, buffer, bytes, status, step == 0 ? WARM_UP : ROUNDS);
                long nanoseconds = rounds(world, buffer, bytes, status, ROUNDS);
                if (world.rank() == 0) {
                    least.set(step, nanoseconds);
                }
                step++;
            }
        });
        return least;
    }

    private static long rounds(Communicator world, MemorySegment buffer, int bytes, Status status, int count) {
        long least = Long.MAX_VALUE;
        int other = 1 - world.rank();
        for (int i = 0; i < count; i++) {
            long startNs = System.nanoTime();
            if (world.rank() == 0) {
                world.send(buffer, 0, bytes, other, 0);
                world.recv(buffer, 0, bytes, other, 0, status);
            } else {
                world.recv(buffer, 0, bytes, other, 0, status);
                world.send(buffer, 0, bytes, other, 0);
            }
            least = Math.min(least, System.nanoTime() - startNs);
        }
        return least;
    }
}
