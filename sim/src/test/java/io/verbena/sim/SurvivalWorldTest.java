package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connections over two addresses whose streams are reset, or go silent, at random times. Both sides post Sends,
 * Writes, Writes with
 * immediate data, Reads and fetch-and-adds: each is executed once, in order, and the sum is exact.
 */
class SurvivalWorldTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SEEDS = Rounds.of(8, 400);
    private static final int REQUESTS = 2_500;
    private static final int CUTS = 25;
    private static final long MOST_EVENTS = 200_000_000;

    /** What carries the connections. */
    enum Carrier {
        STREAMS,
        TORN_STREAMS,
        SEGMENTS,
        SHARED_MEMORY,
        /** Packets of RoCE at first, one address after the other, and then streams. */
        PACKETS,
        /** The same, and packets are lost, doubled and overtaken. */
        LOST_PACKETS
    }

    /** Of a connection that packets carry first: they are tried once at each address. */
    private static final int MOST_ADDRESSES = 9;

    private static World world(long seed, Carrier carrier) {
        World world = new World(seed, carrier == Carrier.TORN_STREAMS ? Profile.TORN : Profile.CALM)
                .withoutStates()
                .withMostEvents(MOST_EVENTS);
        return switch (carrier) {
            case SEGMENTS -> world.withSegments();
            case SHARED_MEMORY -> world.withSharedMemory();
            case STREAMS, TORN_STREAMS, PACKETS, LOST_PACKETS -> world;
        };
    }

    private static boolean packets(Carrier carrier) {
        return carrier == Carrier.PACKETS || carrier == Carrier.LOST_PACKETS;
    }

    private static RnicOptions options(SimRandom random, Carrier carrier) {
        RnicOptions options = random.oneIn(2)
                ? RnicOptions.defaults().withProgress(Progress.INLINE)
                : RnicOptions.defaults().withEngines(1 + random.nextInt(2));
        boolean selective = random.oneIn(2);
        return packets(carrier)
                ? options.withProvider("roce+iwarp").withInfiniband(it -> it.withSelectiveRepeat(selective))
                : options;
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @EnumSource(Carrier.class)
    void cutAtAnyTime_everythingIsExecutedOnce(Carrier carrier) {
        Seeds.each(SEEDS, seed -> run(seed, carrier));
    }

    private static void run(long seed, Carrier carrier) throws IOException {
        try (World world = world(seed, carrier)) {
            SimRandom random = world.random();
            if (carrier == Carrier.LOST_PACKETS) {
                world.packets()
                        .plan(PacketPlan.calm().withLoss(50).withDuplicates(50).withReordering(20));
            }
            VirtualHost client = world.addHost(options(random, carrier));
            VirtualHost server = world.addHost(options(random, carrier));
            InetSocketAddress first = server.address(7471);
            Listener listener = server.rnic().listen(first);
            List<InetSocketAddress> others = new ArrayList<>();
            int addresses = packets(carrier) ? 1 + random.nextInt(MOST_ADDRESSES) : 2;
            for (int i = 1; i < addresses; i++) {
                others.add(server.address(7471 + i));
                server.rnic().listen(others.getLast());
            }
            SurvivalProgram near = new SurvivalProgram(client, random, REQUESTS);
            SurvivalProgram far = new SurvivalProgram(server, random, REQUESTS);
            Connection from = client.rnic()
                    .startConnect(
                            near.queuePair,
                            first,
                            ConnectionOptions.defaults().surviving(others.toArray(InetSocketAddress[]::new)));
            Connection to = listener.nextRequest(MINUTE)
                    .orElseThrow()
                    .startAccept(far.queuePair, ConnectionOptions.defaults().surviving());
            from.awaitEstablished(MINUTE);
            to.awaitEstablished(MINUTE);
            assertTrue(from.survives() && to.survives());
            assertEquals(packets(carrier), from.transport() == TransportType.ROCE_V2);
            near.meet(far);
            far.meet(near);
            Cuts cuts = new Cuts(world, CUTS, from, to);
            cuts.next();
            while (!near.done() || !far.done()) {
                near.pump();
                far.pump();
                assertTrue(world.step(), () -> "nothing happens any more: " + near + ", " + far);
            }
            near.check("seed " + seed + "L, client");
            far.check("seed " + seed + "L, server");
            (random.oneIn(2) ? from : to).disconnect();
            assertTrue(
                    from.awaitClosed(MINUTE) && to.awaitClosed(MINUTE),
                    () -> "seed " + seed + "L: " + from + ", " + to);
        }
    }

    /** Ends what carries a connection again and again. */
    private static final class Cuts {
        private static final long LONGEST_NS = 4_000_000L;
        private static final long LONGEST_OF_PACKETS_NS = 400_000L;
        private static final long LONGEST_OUTAGE_NS = 1_200_000_000L;

        private final World world;
        private final List<Connection> ends;
        private int left;

        Cuts(World world, int count, Connection from, Connection to) {
            this.world = world;
            ends = List.of(from, to);
            left = count;
        }

        private boolean overPackets() {
            return ends.getFirst().transport() == TransportType.ROCE_V2;
        }

        void next() {
            world.after(world.random().sizeNs(overPackets() ? LONGEST_OF_PACKETS_NS : LONGEST_NS), () -> {
                if (overPackets()) {
                    cutPackets();
                } else {
                    cutStream();
                }
                if (left > 0) {
                    next();
                }
            });
        }

        private void cutStream() {
            Link newest = world.links().getLast();
            if (newest.openEnds() < 2 || !newest.fault().isEmpty()) {
                return;
            }
            left--;
            if (world.random().oneIn(4)) {
                newest.silence("by the test");
            } else {
                newest.reset("by the test");
            }
        }

        /** By the end of the stream beside them, by a side that leaves them, or because none passes for some time. */
        private void cutPackets() {
            left--;
            switch (world.random().nextInt(4)) {
                case 0 -> {
                    List<VirtualHost> hosts = world.hosts();
                    world.packets()
                            .partition(hosts.get(0).inetAddress(), hosts.get(1).inetAddress());
                    world.after(
                            world.random().sizeNs(LONGEST_OUTAGE_NS),
                            () -> world.packets().heal());
                }
                case 1 -> ends.get(world.random().nextInt(2)).migrate();
                default -> world.links().getLast().reset("by the test");
            }
        }
    }

    @Test
    void notAgreed_endsWithItsTransport() throws IOException {
        try (World world = new World(1)) {
            VirtualHost client = world.addHost(RnicOptions.defaults());
            VirtualHost server = world.addHost(RnicOptions.defaults());
            Listener listener = server.rnic().listen(server.address(7471));
            SurvivalProgram near = new SurvivalProgram(client, world.random(), 1);
            SurvivalProgram far = new SurvivalProgram(server, world.random(), 1);
            byte[] data = {1, 2, 3};
            Connection from = client.rnic()
                    .startConnect(
                            near.queuePair,
                            listener.localAddress(),
                            ConnectionOptions.defaults().surviving().withPrivateData(data));
            Connection to =
                    listener.nextRequest(MINUTE).orElseThrow().startAccept(far.queuePair, ConnectionOptions.defaults());
            from.awaitEstablished(MINUTE);
            assertEquals(
                    List.of((byte) 1, (byte) 2, (byte) 3),
                    List.of(to.privateData()[0], to.privateData()[1], to.privateData()[2]));
            assertTrue(!from.survives() && !to.survives());
            world.links().getLast().reset("by the test");
            assertTrue(from.awaitClosed(MINUTE));
        }
    }
}
