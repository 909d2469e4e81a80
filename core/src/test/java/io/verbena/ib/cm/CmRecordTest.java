package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A process is killed and started again: the peers of its connections learn it from a DREQ, if the connections were recorded. */
class CmRecordTest {

    private static final long SECOND_NS = 1_000_000_000L;

    private final MemorySegment memory = MemorySegment.ofArray(new byte[CmRecord.BYTES]);
    private final CmPair pair = new CmPair();

    private void start(long seed) {
        pair.restartB(CmRecord.in(memory), seed);
        pair.b.agent.endEarlier(pair.nowNs);
    }

    private void settle(CmPair settling) {
        for (int i = 0; i < 200; i++) {
            settling.toA();
            settling.toB();
            settling.pass(SECOND_NS);
        }
    }

    @Test
    void established_processKilledAndStarted_peerIsDisconnected() {
        start(5);
        pair.established();
        start(6);
        assertEquals(List.of("DREQ"), pair.b.sent().subList(0, 1));
        pair.b.agent.onDeadline(pair.nowNs += SECOND_NS); // the first one was lost
        pair.toA();
        assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
        assertEquals(1, pair.b.agent.size());
        pair.toB();
        settle(pair);
        assertEquals(0, pair.b.agent.size());
        assertEquals(0, CmRecord.in(memory).size());
    }

    @Test
    void established_processKilledTwice_peerIsDisconnected() {
        start(5);
        pair.established();
        start(6);
        start(7);
        pair.toA();
        assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
    }

    @Test
    void established_startedWithoutRecord_peerKeepsConnection() {
        pair.established();
        pair.restartB(CmRecord.none(), 6);
        pair.b.agent.endEarlier(pair.nowNs);
        settle(pair);
        assertEquals(0, pair.a.count(CmSignal.Disconnected.class));
    }

    @Test
    void ended_processKilledAndStarted_nothingIsSent() {
        start(5);
        pair.a.agent.disconnect(pair.established()[0], pair.nowNs);
        pair.toB();
        start(6);
        assertEquals(List.of(), pair.b.sent());
    }

    /** The peer restarted as well, and another connection has the queue pair. */
    @Test
    void earlierConnection_peerHasOnlyNewOnes_theyRemain() {
        start(5);
        pair.established();
        CmPair other = new CmPair(99, false);
        other.restartB(CmRecord.in(memory), 6);
        other.established();
        other.b.agent.endEarlier(other.nowNs);
        settle(other);
        assertEquals(0, other.a.count(CmSignal.Disconnected.class));
        assertEquals(1, CmRecord.in(memory).size());
    }

    /** Kills the process between any two messages: no connection remains at the peer, and none in the record. */
    @Test
    void anyMoment_processKilledAndStarted_noConnectionRemains() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            MemorySegment kept = MemorySegment.ofArray(new byte[CmRecord.BYTES]);
            CmPair one = new CmPair(seed, false);
            one.restartB(CmRecord.in(kept), seed + 1000);
            for (int step = random.nextInt(40), pair = 1; step > 0; step--) {
                step(one, random, pair++);
            }
            one.a.wire.clear();
            one.restartB(CmRecord.in(kept), seed + 2000);
            one.b.agent.endEarlier(one.nowNs);
            settle(one);
            assertEquals(Set.of(), open(one.a), "seed " + seed);
            assertEquals(0, CmRecord.in(kept).size(), "seed " + seed);
        }
    }

    private static void step(CmPair one, SplittableRandom random, int queuePair) {
        switch (random.nextInt(6)) {
            case 0 -> one.connect(queuePair);
            case 1 -> {
                one.b.collect();
                if (!one.b.wire.isEmpty()) {
                    one.a.receive(one.b.wire.removeFirst(), one.nowNs);
                }
            }
            case 2 -> {
                one.a.collect();
                if (!one.a.wire.isEmpty()) {
                    one.b.receive(one.a.wire.removeFirst(), one.nowNs);
                }
            }
            case 3 -> {
                for (CmSignal each : one.b.signals) {
                    if (each instanceof CmSignal.Requested requested && one.b.agent.size() > 0) {
                        accept(one, requested.connection(), queuePair);
                    }
                }
                one.b.signals.clear();
            }
            case 4 -> {
                for (CmSignal each : List.copyOf(one.a.signals)) {
                    if (each instanceof CmSignal.Replied replied) {
                        one.a.agent.ready(replied.connection(), new byte[0], one.nowNs);
                    }
                }
                one.a.signals.removeIf(CmSignal.Replied.class::isInstance);
            }
            default -> {
                for (CmSignal each : one.a.signals) {
                    if (each instanceof CmSignal.Established established && random.nextInt(4) == 0) {
                        one.a.agent.disconnect(established.connection(), one.nowNs);
                    }
                }
            }
        }
    }

    private static void accept(CmPair one, int connection, int queuePair) {
        one.b.agent.accept(connection, CmPair.answer(queuePair), one.nowNs);
    }

    /** Connections that were established and have not ended. */
    private static Set<Integer> open(CmPair.Side side) {
        side.collect();
        Set<Integer> open = new HashSet<>();
        side.signals.stream()
                .filter(CmSignal.Established.class::isInstance)
                .forEach(each -> open.add(each.connection()));
        side.signals.stream()
                .filter(CmSignal.Disconnected.class::isInstance)
                .forEach(each -> open.remove(each.connection()));
        return open;
    }

    @Test
    void moreConnectionsThanSlots_furtherOnesAreNotRecorded() {
        CmRecord record = CmRecord.in(memory);
        int slots = CmRecord.BYTES / 64 - 1;
        for (int i = 1; i <= slots + 5; i++) {
            record.add(new CmRecord.Entry(i, -i, i, 0, i));
        }
        assertEquals(slots, record.size());
        record.remove(7);
        record.add(new CmRecord.Entry(slots + 9, 1, 1, 0, 1));
        assertEquals(slots, record.size());
        assertEquals(slots, CmRecord.in(memory).takeEarlier().size());
    }

    @Test
    void memory_ofAnyBytes_isRefusedOrRead() {
        SplittableRandom random = new SplittableRandom(1);
        byte[] bytes = new byte[CmRecord.BYTES];
        random.nextBytes(bytes);
        MemorySegment foreign = MemorySegment.ofArray(bytes);
        assertFalse(CmRecord.fits(foreign));
        assertThrows(IllegalArgumentException.class, () -> CmRecord.in(foreign));
        assertFalse(CmRecord.fits(foreign.asSlice(0, 64)));
        // A machine that lost its power leaves slots that are written in part.
        foreign.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 0);
        assertEquals(List.of(), CmRecord.in(foreign).takeEarlier());
    }
}
