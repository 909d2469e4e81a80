package io.verbena.rnic.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.ib.unreliable.RawEngine;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Packets with a right ICRC and hostile contents, into queue pairs of the services UC, UD, raw and RD: nothing outside the posted
 * buffers and the permitted regions is written, each receive completes exactly once, and other queue pairs are not affected.
 */
@Tag(Seeds.TAG)
class RoceHostileServicesTest {

    private static final int SEEDS = 3;
    private static final int PACKETS = 1_500;
    private static final int QKEY = 0x0111_1111;
    private static final int TARGET_BYTES = 64 << 10;
    private static final InetSocketAddress PEER = ManualWorld.roceAddress(1);
    private static final InetSocketAddress VICTIM = ManualWorld.roceAddress(2);
    private static final InetSocketAddress STRANGER =
            new InetSocketAddress(InetAddress.ofLiteral("10.0.0.99"), PEER.getPort());

    private interface Run {
        void with(SplittableRandom random) throws IOException;
    }

    private static void eachSeed(Run run) {
        Seeds.each(SEEDS, seed -> run.with(new SplittableRandom(seed)));
    }

    /** The victim, and memory that its peer must not touch. */
    private static final class Scene implements AutoCloseable {
        final ManualWorld world = ManualWorld.roce();
        final SplittableRandom random;
        final Pair bystander;
        final MemoryRegion secret;
        final MemoryRegion readOnly;

        Scene(SplittableRandom random) throws IOException {
            this.random = random;
            RnicOptions options = RnicOptions.defaults()
                    .withEngines(1 + random.nextInt(2))
                    .withInfiniband(it -> it.withDatagramWrites(true));
            bystander = new Pair(world, options, 64, it -> it).connect();
            secret = bystander.b.domain.allocate(TARGET_BYTES, AccessRight.LOCAL_WRITE);
            readOnly = bystander.b.domain.allocate(TARGET_BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
            secret.segment().fill(GuardedReceives.UNTOUCHED);
            readOnly.segment().fill(GuardedReceives.UNTOUCHED);
        }

        void tellKeys(HostilePacketMaker maker, MemoryRegion target) {
            maker.qKey = QKEY;
            maker.keys = new int[] {target.rkey(), readOnly.rkey(), secret.rkey()};
            maker.addresses = new long[] {target.address(), readOnly.address(), secret.address()};
            maker.targetBytes = TARGET_BYTES;
        }

        void inject(HostilePacketMaker maker) {
            InetSocketAddress from = random.nextInt(10) == 0 ? STRANGER : PEER;
            world.packets.inject(from, VICTIM, HostilePacketMaker.signed(from, VICTIM, maker.next()));
            if (random.nextInt(4) == 0) {
                world.advance(random.nextInt(2_000_000));
            } else {
                world.settle();
            }
        }

        void check() {
            for (MemoryRegion each : List.of(secret, readOnly)) {
                for (byte one : each.segment().toArray(JAVA_BYTE)) {
                    assertEquals(GuardedReceives.UNTOUCHED, one);
                }
            }
            bystander.a.polled();
            bystander.b.polled();
            bystander.a.fill(random.nextInt());
            bystander.b.queuePair.postReceive(1, bystander.b.memory, 0, 5_000);
            bystander.a.queuePair.postSend(2, bystander.a.memory, 0, 5_000, WrFlags.SIGNALLED);
            world.settle();
            assertEquals(List.of("2 SUCCESS"), bystander.a.polled());
            assertEquals(List.of("1 SUCCESS"), bystander.b.polled());
            assertEquals(
                    -1,
                    bystander
                            .a
                            .memory
                            .segment()
                            .asSlice(0, 5_000)
                            .mismatch(bystander.b.memory.segment().asSlice(0, 5_000)));
        }

        @Override
        public void close() {
            world.close();
        }
    }

    private static void start(QueuePair queuePair, int peer, InetSocketAddress where, int send, int receive) {
        PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(where.getAddress()))
                .withPartition(0, QKEY)
                .withSequences(send, receive);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withRemote(peer, path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
    }

    /** Hostile packets into a queue pair of an unreliable service. */
    private static void unreliable(TransportService service, Service wire, SplittableRandom random) throws IOException {
        try (Scene scene = new Scene(random)) {
            Pair.Side a = new Pair.Side(scene.bystander.a.rnic, 64, it -> it.withService(service));
            Pair.Side b = new Pair.Side(scene.bystander.b.rnic, 64, it -> it.withService(service));
            int psn = random.nextInt(1 << 24);
            start(a.queuePair, b.queuePair.number(), VICTIM, psn, 0);
            start(b.queuePair, a.queuePair.number(), PEER, 0, psn);
            if (service == TransportService.RAW_DATAGRAM) {
                b.queuePair.steer(OptionalInt.empty(), Optional.empty());
            }
            HostilePacketMaker maker = new HostilePacketMaker(random, wire, IbOpcode.RAW_DATAGRAM);
            scene.tellKeys(maker, b.memory);
            maker.psn(psn);
            maker.queuePairs = service == TransportService.RAW_DATAGRAM
                    ? new int[] {b.queuePair.number(), RawEngine.ANY_QUEUE_PAIR}
                    : new int[] {b.queuePair.number(), b.queuePair.number(), b.queuePair.number(), UdEngine.MULTICAST_QP
                    };
            GuardedReceives receives = new GuardedReceives(b.domain, b.queuePair, b.cursor, random);
            for (int i = 0; i < PACKETS; i++) {
                receives.post();
                scene.inject(maker);
                receives.poll();
                assertEquals(InfinibandQueuePairState.RTS, b.queuePair.state());
            }
            assertTrue(receives.receivesSucceeded() > 0, "some packets were messages");
            b.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.ERR));
            receives.checkEnd(scene.world);
            scene.check();
        }
    }

    @Test
    void unreliableConnection() throws IOException {
        eachSeed(random -> unreliable(TransportService.UNRELIABLE_CONNECTION, Service.UC, random));
    }

    @Test
    void unreliableDatagrams() throws IOException {
        eachSeed(random -> unreliable(TransportService.UNRELIABLE_DATAGRAM, Service.UD, random));
    }

    @Test
    void rawDatagrams() throws IOException {
        eachSeed(random -> unreliable(TransportService.RAW_DATAGRAM, Service.OTHER, random));
    }

    /** A program with one queue pair in a domain of its RNIC. */
    private static final class Program {
        final ReliableDatagramDomain domain;
        final Pair.Side side;

        Program(SoftRnic rnic, InetSocketAddress own) {
            domain = rnic.allocateReliableDatagramDomain();
            side = new Pair.Side(rnic, 64, it -> it.withReliableDatagrams(domain));
            start(side.queuePair, 0, own, 0, 0);
        }

        void write(EndToEndContext to, Pair.Side peer, long id) {
            assertTrue(side.queuePair.post(side.queuePair
                    .newWorkRequest()
                    .write(peer.memory.address(), peer.memory.rkey())
                    .gather(side.memory, 0, 3_000)
                    .to(to, peer.queuePair.number(), QKEY)
                    .id(id)));
        }

        void send(EndToEndContext to, QueuePair peer, long id) {
            assertTrue(side.queuePair.post(side.queuePair
                    .newWorkRequest()
                    .send()
                    .gather(side.memory, 0, 3_000)
                    .to(to, peer.number(), QKEY)
                    .id(id)));
        }
    }

    /** Connects a domain to that of the victim. Returns both ends. */
    private static List<EndToEndContext> context(ManualWorld world, Program near, Program far) throws IOException {
        try (Listener listener = far.side.rnic.listen(world.address())) {
            EndToEndContext begun = near.domain.startConnect(listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(Pair.SECOND).orElseThrow();
            EndToEndContext accepted = request.startAcceptContext(far.domain, ConnectionOptions.defaults());
            world.settle();
            return List.of(begun, accepted);
        }
    }

    /** The acknowledgements of the victim show which PSN it expects. */
    private static void follow(byte[] packet, HostilePacketMaker maker) {
        if ((packet[0] & 0xff) == IbOpcode.RD_ACKNOWLEDGE.value()) {
            int psn = (packet[9] & 0xff) << 16 | (packet[10] & 0xff) << 8 | packet[11] & 0xff;
            boolean positive = (packet[IbOpcode.RD_ACKNOWLEDGE.headerBytes() - 4] & 0x60) == 0;
            maker.psn(positive ? psn + 1 : psn);
        }
    }

    private static void reliable(SplittableRandom random) throws IOException {
        try (Scene scene = new Scene(random)) {
            Program peer = new Program(scene.bystander.a.rnic, PEER);
            Program victim = new Program(scene.bystander.b.rnic, VICTIM);
            Program third = new Program(scene.world.rnic(), ManualWorld.roceAddress(3));
            Pair.Side second = new Pair.Side(victim.side.rnic, 64, it -> it.withReliableDatagrams(victim.domain));
            start(second.queuePair, 0, VICTIM, 0, 0);
            List<EndToEndContext> hostile = context(scene.world, peer, victim);
            List<EndToEndContext> honest = context(scene.world, third, victim);
            HostilePacketMaker maker = new HostilePacketMaker(random, Service.RD);
            maker.losesCount = false;
            scene.tellKeys(maker, victim.side.memory);
            maker.queuePairs = new int[] {victim.side.queuePair.number()};
            maker.contexts = new int[] {hostile.get(1).number()};
            scene.world.packets.tap = Optional.of(packet -> follow(packet, maker));
            GuardedReceives receives =
                    new GuardedReceives(victim.side.domain, victim.side.queuePair, victim.side.cursor, random);
            for (int i = 0; i < PACKETS; i++) {
                receives.post();
                if (random.nextInt(20) == 0 && victim.side.queuePair.state() == InfinibandQueuePairState.RTS) {
                    victim.write(hostile.get(1), peer.side, receives.nextSend());
                    receives.sent();
                }
                scene.inject(maker);
                receives.poll();
                if (victim.side.queuePair.state() == InfinibandQueuePairState.SQE) {
                    victim.side.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
                }
                assertEquals(InfinibandQueuePairState.RTS, victim.side.queuePair.state());
            }
            assertTrue(receives.receivesSucceeded() > 0, "some packets were messages");
            second.queuePair.postReceive(1, second.memory, 0, 3_000);
            third.send(honest.get(0), second.queuePair, 2);
            scene.world.advance(1_000_000_000L);
            assertEquals(List.of("2 SUCCESS"), third.side.polled());
            assertEquals(List.of("1 SUCCESS"), second.polled());
            victim.side.queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.ERR));
            receives.checkEnd(scene.world);
            scene.check();
        }
    }

    @Test
    void reliableDatagrams() throws IOException {
        eachSeed(RoceHostileServicesTest::reliable);
    }
}
