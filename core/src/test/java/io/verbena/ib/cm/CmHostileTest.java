package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lossy networks and hostile datagrams: connections end, no exception is thrown, no state grows without limit. */
class CmHostileTest {

    private static final int ROUNDS = 100;

    @Tag(Seeds.TAG)
    @Test
    void lossyNetwork_everyConnection_isEstablishedAndEnds() {
        Seeds.each(ROUNDS, CmHostileTest::lossy);
    }

    private static void lossy(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CmPair pair = new CmPair(seed, false);
        int connections = 1 + random.nextInt(6);
        for (int i = 0; i < connections; i++) {
            pair.connect(0x100 + i);
        }
        int seenA = 0;
        int seenB = 0;
        for (int turn = 0; turn < 10_000 && pair.a.agent.size() + pair.b.agent.size() > 0; turn++) {
            pair.a.collect();
            pair.b.collect();
            boolean moved = shuffle(pair.a, pair.b, pair, random) | shuffle(pair.b, pair.a, pair, random);
            for (; seenB < pair.b.signals.size(); seenB++) {
                switch (pair.b.signals.get(seenB)) {
                    case CmSignal.Requested r -> {
                        if (random.nextBoolean()) {
                            pair.b.agent.delay(r.connection(), 22, pair.nowNs);
                        }
                        pair.b.agent.accept(r.connection(), CmPair.answer(0x200 + seenB), pair.nowNs);
                    }
                    case CmSignal.Established e -> {
                        if (random.nextBoolean()) {
                            pair.b.agent.disconnect(e.connection(), pair.nowNs);
                        }
                    }
                    default -> {}
                }
            }
            for (; seenA < pair.a.signals.size(); seenA++) {
                if (pair.a.signals.get(seenA) instanceof CmSignal.Replied r) {
                    pair.a.agent.ready(r.connection(), new byte[0], pair.nowNs);
                    if (random.nextBoolean()) {
                        pair.a.agent.disconnect(r.connection(), pair.nowNs);
                    }
                }
            }
            if (!moved) {
                long next = Math.min(left(pair.a, pair), left(pair.b, pair));
                if (next == Long.MAX_VALUE) {
                    // Established on both sides, and neither side has disconnected.
                    for (CmSignal each : List.copyOf(pair.a.signals)) {
                        if (each instanceof CmSignal.Established e && alive(pair.a, e.connection())) {
                            pair.a.agent.disconnect(e.connection(), pair.nowNs);
                        }
                    }
                } else {
                    pair.pass(next);
                }
            }
        }
        assertEquals(0, pair.a.agent.size() + pair.b.agent.size(), "nothing is left");
        assertEquals(connections, pair.a.count(CmSignal.Established.class));
        assertEquals(connections, pair.b.count(CmSignal.Requested.class), "each request is signalled once");
        assertEquals(connections, pair.a.count(CmSignal.Over.class));
        assertTrue(pair.b.count(CmSignal.Established.class) <= connections);
    }

    private static boolean alive(CmPair.Side side, int connection) {
        return side.agent.find(connection).isPresent();
    }

    private static long left(CmPair.Side side, CmPair pair) {
        return Times.leftNs(side.agent.nextDeadlineNs(), pair.nowNs);
    }

    private static boolean shuffle(CmPair.Side from, CmPair.Side to, CmPair pair, SplittableRandom random) {
        List<byte[]> all = new ArrayList<>(from.wire);
        from.wire.clear();
        for (byte[] each : all) {
            if (random.nextInt(10) < 2) {
                continue;
            }
            to.receive(each, pair.nowNs);
            if (random.nextInt(10) < 2) {
                to.receive(each, pair.nowNs);
            }
        }
        return !all.isEmpty();
    }

    @Tag(Seeds.TAG)
    @Test
    void anyDatagrams_noExceptionAndBoundedState() {
        Seeds.each(ROUNDS, CmHostileTest::hostile);
    }

    private static void hostile(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CmPair pair = new CmPair(seed, random.nextBoolean());
        pair.b.agent.listen(99, CmListener.IP);
        List<byte[]> seen = new ArrayList<>();
        int[] both = pair.established();
        int own = pair.connect(0x12);
        pair.a.agent.proposeAlternate(both[0], new CmPort.Alternate(0, 1, 0, 2, 3), pair.nowNs);
        pair.a.agent.resolve(99, 0xffff, new byte[0], CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        pair.a.collect();
        seen.addAll(pair.a.wire);
        pair.toB();
        for (int i = 0; i < 400; i++) {
            byte[] bytes = seen.get(random.nextInt(seen.size())).clone();
            switch (random.nextInt(4)) {
                case 0 -> bytes[17] = (byte) (0x10 + random.nextInt(12));
                case 1 -> bytes[24 + random.nextInt(60)] = (byte) random.nextInt();
                case 2 -> random.nextBytes(bytes);
                default -> bytes = Arrays.copyOf(bytes, random.nextInt(300));
            }
            Origin from = new Origin().source(0, random.nextInt(5) == 0 ? random.nextLong() : CmPair.A_ADDRESS);
            CmPair.Side target = random.nextInt(4) == 0 ? pair.a : pair.b;
            MemorySegment segment = MemorySegment.ofArray(bytes);
            target.agent.onDatagram(segment, 0, bytes.length, from, pair.nowNs);
            new CmMessage().read(segment, 0, bytes.length);
            if (bytes.length == CmMessage.BYTES) {
                CmMessage message = new CmMessage();
                message.read(segment, 0, bytes.length);
                message.describe(new StringBuilder());
            }
            target.collect();
            seen.addAll(target.wire);
            target.wire.clear();
            if (seen.size() > 200) {
                seen = new ArrayList<>(seen.subList(0, 100));
            }
            pair.pass(random.nextInt(1_000_000_000));
        }
        assertTrue(pair.b.agent.size() < 60, "bounded: " + pair.b.agent.size());
        assertTrue(own != 0);
    }
}
