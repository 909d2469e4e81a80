package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Reliable datagrams of several programs per host over a network that loses, repeats, reorders and damages packets, with
 * receivers that run dry. A model of what each program posts and receives requires that all work is executed exactly once.
 */
class ReliableDatagramWorldTest {

    private static final int ROUNDS = 12;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int QKEY = 0x2222;
    private static final int HOSTS = 3;
    private static final int PROGRAMS = 2;
    private static final int WORK = 20;
    private static final int DEPTH = 8;
    private static final int SLOT = 4_096;
    private static final int HEADER = 16;
    private static final long RECEIVE = 1L << 32;
    private static final int STEPS = 2_000_000;

    /** What a program expects of its oldest work. */
    private record Posted(long id, CompletionOpcode opcode, Program to) {}

    private static final class Host {
        final VirtualHost host;
        final ProtectionDomain pd;
        final ReliableDatagramDomain domain;
        final Map<Host, EndToEndContext> contexts = new HashMap<>();
        final MemoryRegion words;
        long added;

        Host(World world) {
            host = world.addHost(RnicOptions.defaults().withProvider("roce"));
            pd = host.rnic().allocateProtectionDomain();
            domain = host.rnic().allocateReliableDatagramDomain();
            words = pd.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_ATOMIC);
        }

        EndToEndContext contextWith(Host far) {
            return Objects.requireNonNull(contexts.get(far));
        }
    }

    private static final class Program {
        final Host host;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;
        final ArrayDeque<Posted> outstanding = new ArrayDeque<>();

        /** Messages sent to and received from each program. */
        final Map<Program, Integer> sent = new HashMap<>();

        final Map<Integer, Program> byNumber;
        final Map<Program, Integer> received = new HashMap<>();
        int posted;
        int receives;
        int arrivals;
        boolean closed;

        Program(Host host, Map<Integer, Program> byNumber) {
            this.host = host;
            this.byNumber = byNumber;
            cq = host.host.rnic().createCompletionQueue(256);
            cursor = cq.cursor();
            queuePair = host.pd.createQueuePair(QueuePairOptions.of(cq).withReliableDatagrams(host.domain));
            byNumber.put(queuePair.number(), this);
            memory = host.pd.allocate(
                    3L * DEPTH * SLOT, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
            PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(host.host.inetAddress()))
                    .withPartition(0, QKEY);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        }

        boolean done() {
            return closed || posted == WORK && outstanding.isEmpty();
        }

        void receive() {
            if (!closed && receives - arrivals < DEPTH) {
                assertTrue(queuePair.postReceive(
                        RECEIVE | receives, memory, (long) (DEPTH + receives % DEPTH) * SLOT, SLOT));
                receives++;
            }
        }

        void post(Program to, SimRandom random) {
            if (closed || posted == WORK || outstanding.size() == DEPTH) {
                return;
            }
            long at = (long) (posted % DEPTH) * SLOT;
            WorkRequest work = queuePair.newWorkRequest();
            CompletionOpcode opcode = switch (random.nextInt(5)) {
                case 0 -> {
                    work.fetchAndAdd(to.host.words.address(), to.host.words.rkey(), 3)
                            .scatter(memory, at, 8);
                    to.host.added += 3;
                    yield CompletionOpcode.FETCH_AND_ADD;
                }
                case 1 -> {
                    work.read(to.memory.address(), to.memory.rkey()).scatter(memory, at, random.nextInt(SLOT));
                    yield CompletionOpcode.READ;
                }
                case 2 -> {
                    work.write(to.memory.address() + 2L * DEPTH * SLOT, to.memory.rkey())
                            .gather(memory, at, random.nextInt(SLOT));
                    yield CompletionOpcode.WRITE;
                }
                default -> {
                    int number = sent.merge(to, 1, Integer::sum);
                    int length = HEADER + random.nextInt(SLOT - HEADER);
                    memory.segment().set(JAVA_LONG_UNALIGNED, at, number);
                    memory.segment().set(JAVA_LONG_UNALIGNED, at + 8, length);
                    memory.segment().set(JAVA_BYTE, at + length - 1, (byte) (length == HEADER ? 0 : number));
                    work.send().gather(memory, at, length);
                    yield CompletionOpcode.SEND;
                }
            };
            EndToEndContext context = host.contextWith(to.host);
            assertTrue(
                    queuePair.post(work.to(context, to.queuePair.number(), QKEY).id(posted)));
            outstanding.addLast(new Posted(posted++, opcode, to));
        }

        void poll() {
            while (cursor.next()) {
                if (cursor.wrId() >= RECEIVE) {
                    if (cursor.ok()) {
                        arrived();
                    } else {
                        assertTrue(closed);
                    }
                } else {
                    completed();
                }
            }
        }

        private void completed() {
            Posted oldest = outstanding.removeFirst();
            assertEquals(oldest.id(), cursor.wrId());
            assertEquals(oldest.opcode(), cursor.opcode());
            boolean mayFail = oldest.to().closed && cursor.status() == CompletionStatus.REMOTE_INVALID_REQUEST
                    || closed && cursor.status() == CompletionStatus.FLUSHED;
            assertTrue(cursor.ok() || mayFail, () -> oldest + ": " + cursor.status());
        }

        private void arrived() {
            long at = (DEPTH + cursor.wrId() % RECEIVE % DEPTH) * SLOT;
            arrivals++;
            Program from = Objects.requireNonNull(byNumber.get(cursor.sourceQueuePairNumber()));
            assertEquals(host.contextWith(from.host).number(), cursor.sourceContextNumber());
            int expected = received.merge(from, 1, Integer::sum);
            assertEquals(expected, memory.segment().get(JAVA_LONG_UNALIGNED, at), "each message once and in order");
            long length = memory.segment().get(JAVA_LONG_UNALIGNED, at + 8);
            assertEquals(length, cursor.byteCount());
            if (length > HEADER) {
                assertEquals((byte) expected, memory.segment().get(JAVA_BYTE, at + length - 1));
            }
        }
    }

    private static PacketPlan rough(SimRandom random) {
        return PacketPlan.calm()
                .withLoss(10 + random.nextInt(100))
                .withDuplicates(5 + random.nextInt(100))
                .withFlips(50 + random.nextInt(100))
                .withReordering(5 + random.nextInt(50));
    }

    private static long run(long seed, boolean closes) throws IOException {
        try (World world = new World(seed)) {
            world.packets().plan(rough(world.random()));
            List<Host> hosts = new ArrayList<>();
            List<Program> programs = new ArrayList<>();
            Map<Integer, Program> byNumber = new HashMap<>();
            for (int i = 0; i < HOSTS; i++) {
                hosts.add(new Host(world));
            }
            for (int i = 0; i < HOSTS * PROGRAMS; i++) {
                programs.add(new Program(hosts.get(i % HOSTS), byNumber));
            }
            connect(hosts);
            exchange(world, programs, closes);
            for (Host each : hosts) {
                assertEquals(1 + HOSTS - 2, each.domain.contexts().size());
                long counted = each.words.segment().get(JAVA_LONG_UNALIGNED, 0);
                assertTrue(closes ? counted <= each.added : counted == each.added, counted + " of " + each.added);
            }
            return world.traceHash();
        }
    }

    private static void connect(List<Host> hosts) throws IOException {
        ConnectionOptions options = ConnectionOptions.defaults().withTimeout(MINUTE);
        for (int i = 0; i < hosts.size(); i++) {
            Host far = hosts.get(i);
            try (Listener listener = far.host.rnic().listen(far.host.address(7471))) {
                for (Host near : hosts.subList(0, i)) {
                    EndToEndContext from = near.domain.startConnect(listener.localAddress(), options);
                    EndToEndContext to =
                            listener.nextRequest(MINUTE).orElseThrow().startAcceptContext(far.domain, options);
                    from.awaitEstablished(MINUTE);
                    to.awaitEstablished(MINUTE);
                    near.contexts.put(far, from);
                    far.contexts.put(near, to);
                }
            }
        }
    }

    private static void exchange(World world, List<Program> programs, boolean closes) {
        SimRandom random = world.random();
        int closeAt = closes ? random.nextInt(20_000) : Integer.MAX_VALUE;
        for (int step = 0; programs.stream().anyMatch(each -> !each.done()); step++) {
            assertTrue(
                    step < STEPS,
                    () -> "not finished: "
                            + programs.stream().map(each -> each.outstanding).toList());
            Program one = programs.get(random.nextInt(programs.size()));
            one.poll();
            if (random.nextInt(3) == 0) {
                one.receive();
            }
            Program to = programs.get(random.nextInt(programs.size()));
            if (to.host != one.host && !to.closed) {
                one.post(to, random);
            }
            if (step == closeAt) {
                one.closed = true;
                one.queuePair.close();
            }
            for (int i = random.nextInt(4); i >= 0; i--) {
                world.step();
            }
        }
        world.runFor(MINUTE.toNanos());
        for (Program each : programs) {
            each.poll();
        }
        for (Program from : programs) {
            from.sent.forEach((to, count) -> {
                if (!closes) {
                    assertEquals(count, to.received.get(from), "each message once");
                }
            });
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void roughNetwork_allWorkIsExecutedOnce() {
        eachSeed(false);
    }

    @Tag(Seeds.TAG)
    @Test
    void queuePairClosed_affectsItsWorkOnly() {
        eachSeed(true);
    }

    private static void eachSeed(boolean closes) {
        Seeds.each(ROUNDS, seed -> run(seed, closes));
    }

    @Test
    void sameSeed_sameTrace() throws IOException {
        assertEquals(run(7, true), run(7, true));
    }
}
