package io.verbena.bench.endpoint;

import io.verbena.messaging.Bootstrap;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import io.verbena.messaging.RendezvousMode;
import io.verbena.messaging.Request;
import io.verbena.messaging.Status;
import io.verbena.messaging.channel.ChannelOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The ranks of the measurement, the same as bench/messaging/mpi.c: one of two processes where a launcher says so, else two
 * threads.
 */
public final class MessagingRank {

    private static final int WINDOW = 16;
    private static final int WARM_UPS = 12; // some ten seconds: what runs once a system call is compiled late

    private MessagingRank() {}

    /** {@code latency|bandwidth BYTES COUNT}; prints nanoseconds or bytes per second on rank 0. */
    public static void main(String[] args) throws Exception {
        boolean latency = args[0].equals("latency");
        int bytes = Integer.parseInt(args[1]);
        int count = Integer.parseInt(args[2]);
        ChannelOptions channel = ChannelOptions.defaults().withSlots(Integer.getInteger("verbena.slots", 4));
        MessagingOptions options = MessagingOptions.defaults()
                .withChannel(channel)
                .withRendezvous(RendezvousMode.valueOf(System.getProperty("verbena.rendezvous", "READ")));
        if (System.getenv(Bootstrap.ADDRESS) == null) {
            Ranks.run(2, options, world -> rank(world, latency, bytes, count));
            return;
        }
        try (Communicator world = Communicator.world(options)) {
            rank(world, latency, bytes, count);
        }
    }

    private static void rank(Communicator world, boolean latency, int bytes, int count) {
        MemorySegment buffer =
                Arena.ofAuto().allocate((long) bytes * WINDOW + 1, 64).fill((byte) 1);
        double value = 0;
        for (int i = 0; i <= WARM_UPS; i++) {
            value = latency ? latency(world, buffer, bytes, count) : bandwidth(world, buffer, bytes, count);
        }
        if (world.rank() == 0) {
            System.out.printf("%.1f%n", value);
        }
    }

    private static double latency(Communicator world, MemorySegment buffer, int bytes, int rounds) {
        Status status = new Status();
        int other = 1 - world.rank();
        long startNs = 0;
        for (int i = -rounds / 10; i < rounds; i++) {
            if (i == 0) {
                startNs = System.nanoTime();
            }
            if (world.rank() == 0) {
                world.send(buffer, 0, bytes, other, 0);
                world.recv(buffer, 0, bytes, other, 0, status);
            } else {
                world.recv(buffer, 0, bytes, other, 0, status);
                world.send(buffer, 0, bytes, other, 0);
            }
        }
        return (System.nanoTime() - startNs) / 2.0 / rounds;
    }

    private static double bandwidth(Communicator world, MemorySegment buffer, int bytes, int windows) {
        Request[] requests = new Request[WINDOW];
        Status status = new Status();
        long startNs = 0;
        for (int i = -windows / 10; i < windows; i++) {
            if (i == 0) {
                startNs = System.nanoTime();
            }
            for (int k = 0; k < WINDOW; k++) {
                requests[k] = world.rank() == 0
                        ? world.isend(buffer, 0, bytes, 1, 0)
                        : world.irecv(buffer, (long) k * bytes, bytes, 0, 0);
            }
            Request.awaitAll(requests);
            if (world.rank() == 0) {
                world.recv(buffer, 0, 1, 1, 1, status);
            } else {
                world.send(buffer, 0, 1, 0, 1);
            }
        }
        return (double) windows * WINDOW * bytes / (System.nanoTime() - startNs) * 1e9;
    }
}
