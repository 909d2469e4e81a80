package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkRequest;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Programs of unreliable connections and unreliable datagrams in the World. Each message has a number, and its payload is that
 * number repeated. The network reports which packets it lost, and so the model knows which messages must not arrive: those
 * and no others.
 */
class UnreliableWorldTest {

    private static final int ROUNDS = 8;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int QKEY = 0x2222;
    private static final int HOSTS = 3;
    private static final int WORK = 16;
    private static final int MTU = 1_024;
    private static final int WORD = Integer.BYTES;
    private static final int GLOBAL_HEADER = 40;

    /** Four packets of a connection, or a datagram with its header. */
    private static final int SLOT = 4 * MTU;

    /** As many receives as messages that can arrive. */
    private static final int PLENTY = WORK * HOSTS;

    private static final long RECEIVE = 1L << 32;
    private static final int STEPS = 1_000_000;

    private enum Kind {
        SEND,
        SEND_WITH_IMMEDIATE,
        WRITE,
        WRITE_WITH_IMMEDIATE;

        boolean writes() {
            return this == WRITE || this == WRITE_WITH_IMMEDIATE;
        }

        boolean immediate() {
            return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
        }

        CompletionOpcode sent() {
            return writes() ? CompletionOpcode.WRITE : CompletionOpcode.SEND;
        }

        CompletionOpcode received() {
            return switch (this) {
                case WRITE_WITH_IMMEDIATE -> CompletionOpcode.RECEIVE_WRITE_IMMEDIATE;
                case SEND, SEND_WITH_IMMEDIATE, WRITE -> CompletionOpcode.RECEIVE;
            };
        }
    }

    /** One message. A datagram that exceeds the MTU is refused by its sender. */
    private record Message(int number, Kind kind, End from, End to, int slot, int length) {
        boolean refused() {
            return from.datagrams && length > MTU;
        }
    }

    /** What is known about all messages. */
    private static final class Model {
        final Map<Integer, Message> messages = new LinkedHashMap<>();
        final Set<Integer> lost = new HashSet<>();
        final Map<Integer, End> ends = new HashMap<>();
        private final IbPacket packet = new IbPacket();

        Message add(Kind kind, End from, End to, int length) {
            Message message = new Message(messages.size() + 1, kind, from, to, from.posted, length);
            messages.put(message.number(), message);
            return message;
        }

        void onLost(byte[] bytes) {
            MemorySegment segment = MemorySegment.ofArray(bytes);
            assertEquals(IbPacketOutcome.OK, packet.decode(segment, 0, bytes.length));
            if (ends.containsKey(packet.bth().destQp())) {
                lost.add(segment.get(JAVA_INT_UNALIGNED, packet.payloadOffset()));
            }
        }
    }

    /** One queue pair and its program. */
    private static final class End {
        final VirtualHost host;
        final boolean datagrams;
        final ProtectionDomain domain;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion source;
        final MemoryRegion target;
        final MemoryRegion receives;
        final Model model;
        final List<End> peers = new ArrayList<>();
        final List<Integer> received = new ArrayList<>();
        final Map<Integer, Message> outstanding = new LinkedHashMap<>();
        int posted;
        int receivesPosted;
        boolean stopped;

        End(VirtualHost host, TransportService service, Model model) {
            this.host = host;
            this.model = model;
            datagrams = service == TransportService.UNRELIABLE_DATAGRAM;
            domain = host.rnic().allocateProtectionDomain();
            CompletionQueue cq = host.rnic().createCompletionQueue(4 * PLENTY);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(
                    QueuePairOptions.of(cq).withService(service).withDepths(WORK, PLENTY));
            source = domain.allocate((long) WORK * SLOT, AccessRight.LOCAL_WRITE);
            target = domain.allocate((long) WORK * SLOT, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
            receives = domain.allocate((long) PLENTY * SLOT, AccessRight.LOCAL_WRITE);
            model.ends.put(queuePair.number(), this);
        }

        void start() {
            PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(host.inetAddress()))
                    .withPartition(0, QKEY);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        }

        void receive() {
            if (receivesPosted < PLENTY) {
                long at = (long) receivesPosted * SLOT;
                assertTrue(queuePair.postReceive(RECEIVE | receivesPosted++, receives, at, SLOT));
            }
        }

        boolean done() {
            return posted == WORK && outstanding.isEmpty() && !stopped;
        }

        void post(SimRandom random) {
            if (posted == WORK || stopped) {
                return;
            }
            Kind kind = random.pick(datagrams ? List.of(Kind.SEND, Kind.SEND_WITH_IMMEDIATE) : List.of(Kind.values()));
            int most = datagrams ? random.oneIn(8) ? 2 * MTU : MTU : SLOT;
            Message message = model.add(kind, this, random.pick(peers), WORD * random.between(1, most / WORD));
            long at = (long) message.slot() * SLOT;
            for (int i = 0; i < message.length(); i += WORD) {
                source.segment().set(JAVA_INT_UNALIGNED, at + i, message.number());
            }
            WorkRequest work =
                    work(message).gather(source, at, message.length()).id(message.number());
            assertTrue(queuePair.post(datagrams ? addressed(work, message.to()) : work));
            outstanding.put(message.number(), message);
            stopped = message.refused();
            posted++;
        }

        private WorkRequest work(Message message) {
            WorkRequest work = queuePair.newWorkRequest();
            long to = message.to().target.address() + (long) message.slot() * SLOT;
            int rkey = message.to().target.rkey();
            return switch (message.kind()) {
                case SEND -> work.send();
                case SEND_WITH_IMMEDIATE -> work.sendWithImmediate(message.number());
                case WRITE -> work.write(to, rkey);
                case WRITE_WITH_IMMEDIATE -> work.writeWithImmediate(to, rkey, message.number());
            };
        }

        private WorkRequest addressed(WorkRequest work, End to) {
            return work.to(
                    domain.createAddressHandle(AddressHandleAttributes.to(to.host.inetAddress())),
                    to.queuePair.number(),
                    QKEY);
        }

        void poll() {
            while (cursor.next()) {
                if (cursor.wrId() >= RECEIVE) {
                    arrived((cursor.wrId() - RECEIVE) * SLOT);
                } else {
                    completed();
                }
            }
            if (stopped && outstanding.isEmpty()) {
                assertEquals(InfinibandQueuePairState.SQE, queuePair.state());
                queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
                stopped = false;
            }
        }

        private void completed() {
            Message oldest = outstanding.values().iterator().next();
            assertEquals(oldest.number(), cursor.wrId());
            assertEquals(oldest.refused() ? CompletionStatus.LOCAL_LENGTH : CompletionStatus.SUCCESS, cursor.status());
            assertTrue(oldest.refused() || cursor.opcode() == oldest.kind().sent());
            outstanding.remove(oldest.number());
        }

        private void arrived(long at) {
            assertEquals(CompletionStatus.SUCCESS, cursor.status());
            int header = datagrams ? GLOBAL_HEADER : 0;
            boolean written = cursor.opcode() == CompletionOpcode.RECEIVE_WRITE_IMMEDIATE;
            int number = written ? (int) cursor.immediate() : receives.segment().get(JAVA_INT_UNALIGNED, at + header);
            Message message = Objects.requireNonNull(model.messages.get(number));
            assertEquals(this, message.to(), "nothing foreign arrives");
            assertEquals(message.kind().received(), cursor.opcode());
            assertEquals(message.kind().immediate(), cursor.hasImmediate());
            assertTrue(!cursor.hasImmediate() || cursor.immediate() == number);
            if (written) {
                assertEquals(message.length(), wordsOf(message) * WORD, "placed before it is delivered");
            } else {
                assertEquals(header + message.length(), cursor.byteCount());
                for (int i = 0; i < message.length(); i += WORD) {
                    assertEquals(number, receives.segment().get(JAVA_INT_UNALIGNED, at + header + i));
                }
            }
            if (datagrams) {
                assertEquals(message.from().queuePair.number(), cursor.sourceQueuePairNumber());
                assertTrue(cursor.hasGlobalHeader());
                byte[] addresses = receives.segment().asSlice(at + 32, 8).toArray(JAVA_BYTE);
                assertArrayEquals(concatenated(message.from().host, host), addresses);
            }
            received.add(number);
        }

        private static byte[] concatenated(VirtualHost from, VirtualHost to) {
            byte[] both = new byte[8];
            System.arraycopy(from.inetAddress().getAddress(), 0, both, 0, 4);
            System.arraycopy(to.inetAddress().getAddress(), 0, both, 4, 4);
            return both;
        }

        /** Words of a Write that are placed. The others of its slot are untouched. */
        int wordsOf(Message write) {
            int words = 0;
            for (int i = 0; i < SLOT; i += WORD) {
                int word = target.segment().get(JAVA_INT_UNALIGNED, (long) write.slot() * SLOT + i);
                assertTrue(word == 0 || word == write.number() && i < write.length(), () -> word + " in " + write);
                words += word == 0 ? 0 : 1;
            }
            return words;
        }
    }

    private static long run(long seed, UnaryOperator<PacketPlan> plan, boolean lossOnly) throws IOException {
        try (World world = new World(seed)) {
            Model model = new Model();
            world.packets().onLost(model::onLost);
            world.packets()
                    .plan(plan.apply(PacketPlan.calm().withLoss(world.random().between(5, 40))));
            List<End> ends = ends(world, model);
            for (End each : ends) {
                for (int i = 0; i < (lossOnly ? PLENTY : 2); i++) {
                    each.receive();
                }
            }
            exchange(world, ends);
            assertTrue(!Seeds.recorded(ROUNDS) || !model.lost.isEmpty(), "nothing was lost");
            if (lossOnly) {
                compare(model, ends);
            }
            return world.traceHash();
        }
    }

    /** Each host has one queue pair of datagrams, and one that is connected to each other host. */
    private static List<End> ends(World world, Model model) throws IOException {
        List<End> ends = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++) {
            ends.add(new End(
                    world.addHost(RnicOptions.defaults().withProvider("roce")),
                    TransportService.UNRELIABLE_DATAGRAM,
                    model));
        }
        List<End> datagrams = List.copyOf(ends);
        ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
        for (End to : datagrams) {
            to.start();
            to.peers.addAll(datagrams);
            to.peers.remove(to);
            try (Listener listener = to.host.rnic().listen(to.host.address(7471))) {
                for (End from : datagrams.subList(0, datagrams.indexOf(to))) {
                    End near = new End(from.host, TransportService.UNRELIABLE_CONNECTION, model);
                    End far = new End(to.host, TransportService.UNRELIABLE_CONNECTION, model);
                    Connection connecting =
                            from.host.rnic().startConnect(near.queuePair, listener.localAddress(), options);
                    listener.nextRequest(MINUTE)
                            .orElseThrow()
                            .startAccept(far.queuePair, options)
                            .awaitEstablished(MINUTE);
                    connecting.awaitEstablished(MINUTE);
                    near.peers.add(far);
                    far.peers.add(near);
                    ends.addAll(List.of(near, far));
                }
            }
        }
        return ends;
    }

    private static void exchange(World world, List<End> ends) {
        SimRandom random = world.random();
        for (int step = 0; !ends.stream().allMatch(End::done); step++) {
            assertTrue(
                    step < STEPS,
                    () -> "not finished: "
                            + ends.stream().map(each -> each.outstanding).toList());
            End one = random.pick(ends);
            one.poll();
            one.post(random);
            random.pick(ends).receive();
            for (int i = random.nextInt(4); i > 0; i--) {
                world.step();
            }
        }
        world.runFor(MINUTE.toNanos());
        ends.forEach(End::poll);
    }

    /** A message arrives once, and in the order of its connection, unless one of its packets was lost. */
    private static void compare(Model model, List<End> ends) {
        List<Integer> all = ends.stream()
                .map(each -> each.received)
                .flatMap(Collection::stream)
                .toList();
        Set<Integer> arrived = new HashSet<>(all);
        assertEquals(arrived.size(), all.size(), "nothing arrives twice");
        for (Message message : model.messages.values()) {
            boolean expected = !message.refused() && !model.lost.contains(message.number());
            if (message.kind().writes()) {
                boolean whole = message.to().wordsOf(message) * WORD == message.length();
                assertEquals(expected, whole, message::toString);
            }
            assertEquals(
                    expected && message.kind() != Kind.WRITE, arrived.contains(message.number()), message::toString);
        }
        for (End each : ends) {
            if (!each.datagrams) {
                assertEquals(each.received.stream().sorted().toList(), each.received, "in order");
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void lostPackets_loseTheirMessagesOnly() {
        Seeds.each(ROUNDS, seed -> run(seed, it -> it, true));
    }

    /** These services may deliver a message twice or late if the network does, and drop it if there is no receive. */
    @Tag(Seeds.TAG)
    @Test
    void roughNetwork_fewReceives_whatArrivesIsIntact() {
        Seeds.each(
                ROUNDS,
                seed -> run(seed, it -> it.withDuplicates(8).withReordering(8).withFlips(20), false));
    }

    @Test
    void sameSeed_sameTrace() throws IOException {
        assertEquals(run(7, it -> it, true), run(7, it -> it, true));
        assertNotEquals(run(7, it -> it, true), run(8, it -> it, true));
    }
}
