package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.Profile;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the first large message costs, in virtual time. */
class EnlargementCostTest {

    private final List<Messenger> ranks = new ArrayList<>();

    @Test
    void firstMessageThatEnlarges_costsAtMostThreeRoundTripsMoreThanTheNext() throws IOException {
        for (long seed = 1; seed <= 10; seed++) {
            ranks.clear();
            try (World world = new World(seed, Profile.CALM)) {
                List<SocketAddress> addresses = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    VirtualHost host = world.addHost(RnicOptions.defaults().withProgress(Progress.ENGINE_THREAD));
                    Messenger rank = new Messenger(
                            i, 2, host.rnic(), MessagingOptions.defaults(), world::nowNs, new Random(seed));
                    addresses.add(rank.endpoint().listen(host.address(7000)));
                    ranks.add(rank);
                }
                ranks.forEach(rank -> rank.members().join(addresses, 1));
                oneWay(world, 0, 8);
                oneWay(world, 1, 8);
                long roundTripNs = 0;
                for (int i = 0; i < 20; i++) {
                    roundTripNs = Math.max(roundTripNs, oneWay(world, 0, 8) + oneWay(world, 1, 8));
                }
                long firstNs = oneWay(world, 0, 5000);
                long nextNs = oneWay(world, 0, 5000);
                assertTrue(
                        firstNs - nextNs <= 3 * roundTripNs,
                        "seed " + seed + ": " + firstNs + " against " + nextNs + " ns, a round trip takes "
                                + roundTripNs);
            }
        }
    }

    private long oneWay(World world, int from, int length) {
        Messenger sender = ranks.get(from);
        Messenger receiver = ranks.get(1 - from);
        MemorySegment memory = Arena.ofAuto().allocate(length);
        long startNs = world.nowNs();
        Operation receive = new Operation(receiver).start(false, memory, 0, length, from, 0, 0);
        receiver.receive(receive);
        Operation send = new Operation(sender).start(true, memory, 0, length, 1 - from, 0, 0);
        if (!sender.sendNow(memory, 0, length, 1 - from, 0, 0)) {
            sender.send(send);
        }
        while (!receive.done()) {
            ranks.forEach(Messenger::progress);
            if (!receive.done() && !world.step()) {
                world.runFor(1000);
            }
            assertTrue(world.nowNs() - startNs < 1_000_000_000L, "it did not come");
        }
        return world.nowNs() - startNs;
    }
}
