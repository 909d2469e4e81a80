package io.verbena.examples;

import io.verbena.messaging.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Two ranks throw a message back and forth.
 *
 * <pre>verbena run -n 2 -- messaging/src/test/java/io/verbena/examples/PingPong.java [BYTES [ROUNDS]]</pre>
 */
public class PingPong {

    public static void main(String... args) throws Exception {
        try (Communicator world = Communicator.world()) {
            play(
                    world,
                    args.length > 0 ? Long.parseLong(args[0]) : 8,
                    args.length > 1 ? Integer.parseInt(args[1]) : 10_000);
        }
    }

    /** Plays and, on rank 0, prints half the time of a round. */
    public static void play(Communicator world, long bytes, int rounds) {
        MemorySegment ball = Arena.ofAuto().allocate(bytes, 8);
        int other = 1 - world.rank();
        long startNs = 0;
        for (int i = -rounds / 10; i < rounds; i++) { // a tenth of the rounds to warm up
            if (i == 0) {
                startNs = System.nanoTime();
            }
            if (world.rank() == 0) {
                world.send(ball, other, 0);
                world.recv(ball, other, 0);
            } else {
                world.recv(ball, other, 0);
                world.send(ball, other, 0);
            }
        }
        if (world.rank() == 0) {
            double halfNs = (System.nanoTime() - startNs) / 2.0 / rounds;
            System.out.printf(
                    "%d bytes: half a round trip takes %.2f µs, %.2f GB/s%n", bytes, halfNs / 1000, bytes / halfNs);
        }
    }
}
