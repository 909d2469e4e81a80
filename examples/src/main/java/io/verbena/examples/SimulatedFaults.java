package io.verbena.examples;

import io.verbena.sim.*;
import io.verbena.verbs.*;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * A program under test in virtual time: it counts in the memory of a server while connections break. What it has counted must be between
 * the additions that it saw complete and those that it tried. A seed that fails can be run again, step by step.
 */
final class SimulatedFaults {

    private static final int SEEDS = 100;
    private static final int ADDITIONS = 20;
    private static final Duration LONGEST = Duration.ofMinutes(2); // of virtual time

    private SimulatedFaults() {}

    public static void main(String... args) throws Exception {
        int interrupted = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            interrupted += run(seed) == ADDITIONS ? 0 : 1;
        }
        Check.that(interrupted > 0 && interrupted < SEEDS, interrupted + " of " + SEEDS + " runs met a fault");
        System.out.println(interrupted + " of " + SEEDS + " runs met a fault, and no count was wrong.");
    }

    private static int run(int seed) throws IOException {
        try (World world = new World(seed, Profile.TORN)) {
            VirtualHost server = world.addHost(RnicOptions.defaults());
            VirtualHost client = world.addHost(RnicOptions.defaults());
            ProtectionDomain domain = server.rnic().allocateProtectionDomain();
            MemoryRegion word = domain.allocate(Long.BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_ATOMIC);
            Listener listener = server.rnic().listen(server.address(7175));
            Rnic rnic = client.rnic();
            CompletionQueue cq = rnic.createCompletionQueue(ADDITIONS);
            QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(cq);
            MemoryRegion found = queuePair.protectionDomain().allocate(Long.BYTES, AccessRight.LOCAL_WRITE);
            Connection connection = rnic.startConnect(queuePair, server.address(7175), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(LONGEST).orElseThrow();
            request.accept(domain.createQueuePair(server.rnic().createCompletionQueue(4)), new byte[0]);
            connection.awaitEstablished(LONGEST);
            world.after(
                    world.random().nextInt(3_000_000),
                    () -> world.links().getFirst().reset("a fault"));
            int tried = 0;
            int done = 0;
            for (boolean ok = true; ok && tried < ADDITIONS; done += ok ? 1 : 0) {
                tried++;
                queuePair.postFetchAndAdd(
                        tried, found, 0, word.address(), word.remote().rkey(), 1, WrFlags.SIGNALLED);
                CompletionCursor completion = cq.take(LONGEST);
                ok = completion.ok();
            }
            long counted = word.segment().get(ValueLayout.JAVA_LONG, 0);
            Check.that(counted >= done && counted <= tried, "seed " + seed + ": " + counted + " of " + tried);
            return done;
        } catch (ConnectionException | TimeoutException e) {
            throw new IllegalStateException("seed " + seed, e);
        }
    }
}
