package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.rd.RdContext;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reliable datagrams: the numbered wire cases, and random work over lossy networks, which is executed exactly once. */
class RdCasesTest {

    private static final int ROUNDS = 100;

    private final RdNode[] nodes = new RdNode[3];
    private long nowNs = 5;

    RdCasesTest() {
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new RdNode(i, 2, nodes.length, 100, 3);
        }
    }

    private void send(RdNode.Pair from, long id, Region region, int toNode, int toPair, int length) {
        from.post(WorkOpcode.SEND, toNode, toPair, w -> w.wrId(id).addElement(region.localKey(), 0, length));
    }

    private void deliver(int from, int to) {
        ArrayDeque<byte[]> wire = nodes[from].wire(to);
        nodes[from].transmit(nowNs);
        while (!wire.isEmpty()) {
            nodes[to].receive(from, wire.removeFirst(), nowNs);
        }
        nodes[to].transmit(nowNs);
    }

    private void run() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int from = 0; from < nodes.length; from++) {
                for (int to = 0; to < nodes.length; to++) {
                    if (from != to) {
                        nodes[from].transmit(nowNs);
                        moved |= !nodes[from].wire(to).isEmpty();
                        deliver(from, to);
                    }
                }
            }
        }
    }

    private void pass(long durationNs) {
        nowNs += durationNs;
        for (RdNode each : nodes) {
            each.contexts.values().forEach(context -> context.onDeadline(nowNs));
        }
    }

    @Test
    void twoQueuePairs_oneMessageAtATime_psnsContinue() {
        Region from = nodes[0].region(1024);
        Region to = nodes[1].region(1024);
        nodes[1].pairs.get(0).postReceive(7, to, 1024);
        nodes[1].pairs.get(1).postReceive(8, to, 1024);
        send(nodes[0].pairs.get(0), 1, from, 1, 0x10, 300);
        send(nodes[0].pairs.get(1), 2, from, 1, 0x11, 4);
        assertEquals(
                List.of("SEND_FIRST psn=100, 256 bytes", "SEND_LAST psn=101 ack, 44 bytes"), nodes[0].sentTo(1, nowNs));
        deliver(0, 1);
        assertEquals(List.of("ACKNOWLEDGE psn=101 ACK msn=1"), nodes[1].sentTo(0, nowNs));
        deliver(1, 0);
        assertEquals(List.of("SEND_ONLY psn=102 ack, 4 bytes"), nodes[0].sentTo(1, nowNs));
        run();
        assertEquals(List.of("7 RECEIVE SUCCESS 300"), nodes[1].pairs.get(0).completions());
        assertEquals(List.of("8 RECEIVE SUCCESS 4"), nodes[1].pairs.get(1).completions());
        assertEquals(List.of("2 SEND SUCCESS 4"), nodes[0].pairs.get(1).completions());
    }

    @Test
    void wrongQueueKey_failsOnlyThatWork() {
        Region from = nodes[0].region(1024);
        nodes[1].pairs.get(1).postReceive(8, nodes[1].region(64), 64);
        nodes[0].pairs
                .get(0)
                .post(WorkOpcode.SEND, 1, 0x10, 0x2222, w -> w.wrId(1).addElement(from.localKey(), 0, 4));
        send(nodes[0].pairs.get(1), 2, from, 1, 0x11, 4);
        deliver(0, 1);
        assertEquals(List.of("ACKNOWLEDGE psn=100 NAK invalid RD request msn=0"), nodes[1].sentTo(0, nowNs));
        deliver(1, 0);
        assertEquals(
                List.of("1 SEND REMOTE_INVALID_REQUEST 4"),
                nodes[0].pairs.get(0).completions());
        assertEquals(List.of("RESYNC psn=101 ack"), nodes[0].sentTo(1, nowNs));
        run();
        assertEquals(List.of("2 SEND SUCCESS 4"), nodes[0].pairs.get(1).completions());
        assertEquals(1, nodes[1].pairs.get(1).completions().size());
    }

    @Test
    void noReceive_otherMessagesAreSentFirst() {
        Region from = nodes[0].region(1024);
        Region to = nodes[1].region(1024);
        nodes[1].pairs.get(1).postReceive(8, to, 64);
        send(nodes[0].pairs.get(0), 1, from, 1, 0x10, 4);
        send(nodes[0].pairs.get(1), 2, from, 1, 0x11, 4);
        run();
        assertEquals(List.of("2 SEND SUCCESS 4"), nodes[0].pairs.get(1).completions());
        assertEquals(List.of(), nodes[0].pairs.get(0).completions());
        nodes[1].pairs.get(0).postReceive(7, to, 64);
        run();
        assertEquals(List.of(), nodes[1].pairs.get(0).completions(), "not before the RNR timer expires");
        pass(640_000);
        run();
        assertEquals(List.of("7 RECEIVE SUCCESS 4"), nodes[1].pairs.get(0).completions());
        assertEquals(List.of("1 SEND SUCCESS 4"), nodes[0].pairs.get(0).completions());
    }

    @Test
    void neverReady_failsAfterAllRetries() {
        Region from = nodes[0].region(64);
        send(nodes[0].pairs.get(0), 1, from, 1, 0x10, 4);
        send(nodes[0].pairs.get(0), 2, from, 2, 0x10, 4);
        nodes[2].pairs.get(0).postReceive(7, nodes[2].region(64), 64);
        for (int i = 0; i < 4; i++) {
            run();
            pass(640_000);
        }
        run();
        assertEquals(
                List.of("1 SEND RECEIVER_NOT_READY 4", "2 SEND SUCCESS 4"),
                nodes[0].pairs.get(0).completions());
    }

    @Test
    void copyExecutedAfterTheNak_isNotSentAgain() {
        Region from = nodes[0].region(64);
        send(nodes[0].pairs.get(0), 1, from, 1, 0x10, 4);
        nodes[0].transmit(nowNs);
        byte[] copy = nodes[0].wire(1).peekFirst().clone();
        deliver(0, 1);
        nodes[1].pairs.get(0).postReceive(7, nodes[1].region(64), 64);
        nodes[1].pairs.get(0).postReceive(8, nodes[1].region(64), 64);
        nodes[1].receive(0, copy, nowNs);
        byte[] refusal = nodes[1].wire(0).removeFirst();
        nodes[1].transmit(nowNs);
        nodes[1].wire(0).clear();
        nodes[0].receive(1, refusal, nowNs);
        run();
        assertEquals(List.of("1 SEND SUCCESS 4"), nodes[0].pairs.get(0).completions());
        pass(10_000_000);
        run();
        assertEquals(List.of("7 RECEIVE SUCCESS 4"), nodes[1].pairs.get(0).completions());
    }

    @Test
    void peerGone_itsWorkFails_otherWorkContinues() {
        Region from = nodes[0].region(64);
        nodes[2].pairs.get(0).postReceive(7, nodes[2].region(64), 64);
        RdNode.Pair pair = nodes[0].pairs.get(0);
        send(pair, 1, from, 1, 0x10, 4);
        send(pair, 2, from, 1, 0x10, 4);
        send(pair, 3, from, 2, 0x10, 4);
        for (int i = 0; i < 9; i++) {
            nodes[0].transmit(nowNs);
            nodes[0].wire(1).clear();
            pass(16_000_000); // the time-out doubles up to this
        }
        nodes[0].transmit(nowNs);
        run();
        assertTrue(nodes[0].context(1).failed());
        assertEquals(
                List.of("1 SEND RETRY_EXCEEDED 4", "2 SEND RETRY_EXCEEDED 4", "3 SEND SUCCESS 4"), pair.completions());
    }

    @Test
    void atomicAnswerLost_isExecutedOnce() {
        Region result = nodes[0].region(8);
        Region word = nodes[1].region(8);
        nodes[0].pairs
                .get(0)
                .post(
                        WorkOpcode.FETCH_AND_ADD,
                        1,
                        0x10,
                        w -> w.wrId(1)
                                .remoteAddress(word.baseAddress())
                                .rkey(word.rkey())
                                .operand1(5)
                                .addElement(result.localKey(), 0, 8));
        deliver(0, 1);
        nodes[1].wire(0).clear();
        pass(1_000_000);
        run();
        assertEquals(List.of("1 FETCH_AND_ADD SUCCESS 8"), nodes[0].pairs.get(0).completions());
        assertEquals(5, word.segment().get(JAVA_LONG, 0));
        int queuePairs = 16;
        RdNode big = new RdNode(0, queuePairs, 8, 0, 3);
        assertEquals(16 + 7, big.pairs.size() + big.contexts.size());
    }

    @Test
    void readsLongerThanTheWindow_andWrites_arriveCompletely() {
        Region from = nodes[0].region(16 * 1024);
        Region to = nodes[1].region(16 * 1024);
        RcPair.fill(to, 3);
        nodes[0].pairs
                .get(0)
                .post(
                        WorkOpcode.READ,
                        1,
                        0x10,
                        w -> w.wrId(1)
                                .remoteAddress(to.baseAddress())
                                .rkey(to.rkey())
                                .addElement(from.localKey(), 0, 10_000));
        run();
        assertTrue(RcPair.same(from, to, 10_000));
        RcPair.fill(from, 4);
        nodes[0].pairs
                .get(1)
                .post(
                        WorkOpcode.WRITE,
                        1,
                        0x10,
                        w -> w.wrId(2)
                                .remoteAddress(to.baseAddress())
                                .rkey(to.rkey())
                                .addElement(from.localKey(), 0, 12_000));
        run();
        assertTrue(RcPair.same(from, to, 12_000));
        assertEquals(List.of("1 READ SUCCESS 10000"), nodes[0].pairs.get(0).completions());
        assertEquals(List.of("2 WRITE SUCCESS 12000"), nodes[0].pairs.get(1).completions());
    }

    @Tag(Seeds.TAG)
    @Test
    void lossyNetwork_anySeed_allWorkIsExecutedOnce() {
        Seeds.each(ROUNDS, RdCasesTest::lossy);
    }

    private static void lossy(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RdCasesTest net = new RdCasesTest();
        int firstPsn = Psn.MASK - 10 - random.nextInt(100);
        for (int i = 0; i < 3; i++) {
            net.nodes[i] = new RdNode(i, 2, 3, firstPsn, RcSettings.UNLIMITED);
        }
        net.nowNs = Long.MAX_VALUE - random.nextInt(1_000_000_000);
        Region[] memory = new Region[3];
        Region[] words = new Region[3];
        long[] added = new long[3];
        List<List<String>> expected = new ArrayList<>();
        List<List<String>> seen = new ArrayList<>();
        int[] arrivals = new int[6];
        int[] receives = new int[6];
        int[] delivered = new int[6];
        for (int i = 0; i < 3; i++) {
            memory[i] = net.nodes[i].region(8192);
            words[i] = net.nodes[i].region(8);
        }
        int posted = 0;
        for (int i = 0; i < 6; i++) {
            expected.add(new ArrayList<>());
            seen.add(new ArrayList<>());
            for (int k = 0; k < 10; k++) {
                int node = i / 2;
                int to = (node + 1 + random.nextInt(2)) % 3;
                int toPair = random.nextInt(2);
                RdNode.Pair pair = net.nodes[node].pairs.get(i % 2);
                long id = posted++;
                int length = random.nextInt(1500);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        long addend = random.nextInt(1000);
                        added[to] += addend;
                        pair.post(
                                WorkOpcode.FETCH_AND_ADD,
                                to,
                                0x10 + toPair,
                                w -> w.wrId(id)
                                        .remoteAddress(words[to].baseAddress())
                                        .rkey(words[to].rkey())
                                        .operand1(addend)
                                        .addElement(memory[node].localKey(), 0, 8));
                        expected.get(i).add(id + " FETCH_AND_ADD SUCCESS 8");
                    }
                    case 1 -> {
                        pair.post(
                                WorkOpcode.READ,
                                to,
                                0x10 + toPair,
                                w -> w.wrId(id)
                                        .remoteAddress(memory[to].baseAddress())
                                        .rkey(memory[to].rkey())
                                        .addElement(memory[node].localKey(), 0, length));
                        expected.get(i).add(id + " READ SUCCESS " + length);
                    }
                    default -> {
                        net.send(pair, id, memory[node], to, 0x10 + toPair, length);
                        expected.get(i).add(id + " SEND SUCCESS " + length);
                        arrivals[to * 2 + toPair]++;
                    }
                }
            }
        }
        int loss = random.nextInt(8);
        for (int turn = 0; turn < 200_000 && !done(expected, seen); turn++) {
            boolean moved = false;
            for (int i = 0; i < 6; i++) {
                RdNode.Pair pair = net.nodes[i / 2].pairs.get(i % 2);
                if (receives[i] < arrivals[i] && random.nextInt(4) == 0) {
                    pair.postReceive(1000 + receives[i]++, memory[i / 2], 2000);
                }
                for (String each : pair.completions()) {
                    if (each.contains("RECEIVE")) {
                        delivered[i]++;
                    } else {
                        seen.get(i).add(each);
                    }
                }
                assertEquals(expected.get(i).subList(0, seen.get(i).size()), seen.get(i));
            }
            for (RdNode from : net.nodes) {
                from.transmit(net.nowNs);
                for (var wire : from.wires.entrySet()) {
                    List<byte[]> packets = new ArrayList<>(wire.getValue());
                    wire.getValue().clear();
                    for (byte[] each : packets) {
                        moved = true;
                        if (random.nextInt(100) < loss) {
                            continue;
                        }
                        net.nodes[wire.getKey()].receive(from.index, each, net.nowNs);
                        if (random.nextInt(100) < loss) {
                            wire.getValue().addLast(each);
                        }
                    }
                }
            }
            if (!moved) {
                long next = Times.NEVER;
                for (RdNode each : net.nodes) {
                    for (RdContext context : each.contexts.values()) {
                        next = Times.earlier(next, context.nextDeadlineNs());
                    }
                }
                net.pass(next == Times.NEVER ? 1 : Math.max(1, Times.leftNs(next, net.nowNs)));
            }
        }
        assertTrue(done(expected, seen), "all is done: " + seen + " of " + expected);
        for (int i = 0; i < 6; i++) {
            for (String each : net.nodes[i / 2].pairs.get(i % 2).completions()) {
                delivered[i] += each.contains("RECEIVE") ? 1 : 0;
            }
            assertEquals(arrivals[i], delivered[i], "each message once");
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(added[i], words[i].segment().get(JAVA_LONG, 0), "each atomic once");
        }
    }

    private static boolean done(List<List<String>> expected, List<List<String>> seen) {
        for (int i = 0; i < expected.size(); i++) {
            if (seen.get(i).size() < expected.get(i).size()) {
                return false;
            }
        }
        return true;
    }

    @Tag(Seeds.TAG)
    @Test
    void anyPackets_noExceptionIsThrown() {
        Seeds.each(ROUNDS, RdCasesTest::hostile);
    }

    private static void hostile(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RdCasesTest net = new RdCasesTest();
        Region memory = net.nodes[0].region(2048);
        Region secret = net.nodes[0].regions.register(new OffHeapMemory().allocate(2048), 1, Set.of());
        net.nodes[0].pairs.get(0).postReceive(1, memory, 600);
        net.send(net.nodes[0].pairs.get(0), 2, memory, 1, 0x10, 1000);
        net.nodes[0].pairs.get(1).post(WorkOpcode.READ, 1, 0x10, w -> w.addElement(memory.localKey(), 0, 700));
        for (int i = 0; i < 300; i++) {
            IbOpcode opcode;
            do {
                opcode = IbOpcode.of(0x40 | random.nextInt(0x18));
            } while (opcode == IbOpcode.RESERVED);
            IbOpcode chosen = opcode;
            int payload = !chosen.hasPayload() ? 0 : random.nextInt(3) == 0 ? 256 : random.nextInt(300);
            int psn = chosen.request() ? 101 + random.nextInt(6) : 100 + random.nextInt(8);
            byte[] bytes = Crafted.packet(chosen, psn, payload, p -> {
                p.bth().destQp(0x10 + random.nextInt(3)).a(random.nextBoolean());
                p.rdeth().set(1);
                if (chosen.hasDeth()) {
                    p.deth().set(random.nextInt(10) == 0 ? 3 : RdNode.Q_KEY, random.nextInt());
                }
                Region to = random.nextInt(4) == 0 ? secret : memory;
                if (chosen.hasReth()) {
                    p.reth()
                            .va(to.baseAddress() + random.nextInt(2100) - 20)
                            .rKey(to.rkey())
                            .dmaLength(random.nextBoolean() ? payload : random.nextInt());
                }
                if (chosen.hasAtomicEth()) {
                    p.atomicEth().va(to.baseAddress() + random.nextInt(2100)).rKey(to.rkey());
                }
                if (chosen.hasAeth()) {
                    p.aeth().set(random.nextInt(256), random.nextInt(5));
                }
            });
            if (random.nextInt(4) == 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            net.nodes[0].receive(1, bytes, net.nowNs);
            net.nodes[0].transmit(net.nowNs);
            net.nodes[0].wires.values().forEach(ArrayDeque::clear);
            net.pass(random.nextInt(400_000));
        }
        for (int i = 0; i < 2048; i += 8) {
            assertEquals(0, secret.segment().get(JAVA_LONG, i));
        }
    }
}
