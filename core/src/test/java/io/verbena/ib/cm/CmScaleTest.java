package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Many connections on one port, in virtual time: the state is bounded, and nothing remains after the last one. */
class CmScaleTest {

    private static final long SECOND_NS = 1_000_000_000;
    private static final long TIMEOUT_NS = 4_096L << 20;

    /** The duration of TIMEWAIT with the ACK time-out of {@link CmPair#offer}: 2.1 s. */
    private static final long TIMEWAIT_NS = 4_096L << 19;

    private final CmPair pair = new CmPair();

    /** Establishes a connection and returns its number on side a; the signals are consumed. */
    private int establish(int queuePair) {
        int local = pair.connect(queuePair & 0xff_ffff);
        pair.toB();
        int remote = pair.b.last(CmSignal.Requested.class).connection();
        pair.b.agent.accept(remote, CmPair.answer(queuePair & 0xff_ffff), pair.nowNs);
        pair.toA();
        pair.a.agent.ready(local, new byte[0], pair.nowNs);
        pair.toB();
        pair.a.signals.clear();
        pair.b.signals.clear();
        return local;
    }

    private void assertNothingLeft(CmAgent agent) {
        assertEquals(0, agent.size());
        assertEquals(0, agent.connections().indexed());
        assertEquals(0, agent.timers().size());
        assertEquals(0, agent.connections().waiting());
        assertEquals(Long.MAX_VALUE, agent.nextDeadlineNs());
    }

    @Test
    void tenThousandConnections_established_noTimerRuns_andAllEnd() {
        int[] numbers = new int[10_000];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = establish(i + 1);
        }
        assertEquals(numbers.length, pair.a.agent.size());
        assertEquals(numbers.length, pair.b.agent.size());
        for (int i = 0; i < 8; i++) {
            pair.pass(4_096L << 20); // the RTUs have been repeated
            pair.toB();
        }
        assertEquals(0, pair.a.agent.timers().size() + pair.b.agent.timers().size());
        for (int number : numbers) {
            pair.a.agent.disconnect(number, pair.nowNs);
        }
        pair.toB();
        pair.toA();
        assertEquals(numbers.length, pair.a.agent.timers().size());
        pair.pass(TIMEWAIT_NS);
        assertEquals(numbers.length, pair.a.count(CmSignal.Over.class));
        assertNothingLeft(pair.a.agent);
        assertNothingLeft(pair.b.agent);
    }

    @Test
    void thousandConnectionsPerSecond_oneMinute_stateIsBounded() {
        long endNs = pair.nowNs + 60 * SECOND_NS;
        int created = 0;
        while (endNs - pair.nowNs > 0) {
            int local = establish(++created);
            pair.a.agent.disconnect(local, pair.nowNs);
            pair.toB();
            pair.toA();
            pair.pass(SECOND_NS / 1_000);
            // 2.1 s at 1,000 connections per second are in TIMEWAIT.
            assertTrue(pair.a.agent.size() <= 2_200, () -> "connections: " + pair.a.agent.size());
            assertTrue(pair.b.agent.timers().size() <= 2_200);
            assertTrue(pair.b.agent.connections().indexed() <= 3 * 2_200);
        }
        assertEquals(60_000, created);
        pair.pass(TIMEWAIT_NS);
        assertNothingLeft(pair.a.agent);
        assertNothingLeft(pair.b.agent);
    }

    @Test
    void deadlinesOfManyConnections_expireInOrderAcrossTheWrapOfTheClock() {
        pair.nowNs = Long.MAX_VALUE - 3 * SECOND_NS;
        for (int i = 0; i < 6; i++) {
            pair.connect(0x100 + i);
            pair.nowNs += SECOND_NS;
        }
        pair.a.sent();
        for (int i = 0; i < 6; i++) {
            long next = pair.a.agent.nextDeadlineNs();
            assertTrue(next - pair.nowNs > 0 || i == 0, "deadlines expire in order");
            pair.nowNs = next;
            pair.a.agent.onDeadline(pair.nowNs);
            assertEquals(1, pair.a.sent().size());
        }
    }

    @Test
    void resolutionsOfPeers_notAnswered_expire() {
        for (int i = 0; i < 20; i++) {
            pair.a.agent.resolve(CmPair.SERVICE, 0xffff, new byte[0], CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        }
        pair.toB();
        assertEquals(8, pair.b.count(CmSignal.ResolutionRequested.class));
        int late = pair.b.last(CmSignal.ResolutionRequested.class).connection();
        pair.pass(16 * TIMEOUT_NS);
        assertEquals(0, pair.b.agent.timers().size());
        assertFalse(pair.b.agent.answerResolution(late, 0, 1, 1, new byte[0]));
        pair.b.sent();
        pair.b.receive(lastRequest(), pair.nowNs);
        assertEquals(9, pair.b.count(CmSignal.ResolutionRequested.class), "a new one is accepted");
    }

    private byte[] lastRequest() {
        pair.a.collect();
        Optional<byte[]> request = pair.a.wire.stream()
                .filter(each -> CmPair.name(each).equals("SIDR_REQ"))
                .findFirst();
        return request.orElseThrow();
    }

    @Test
    void resolutionsOfThisSide_manyPending_doNotBlockThoseOfPeers() {
        pair.a.agent.listen(CmPair.SERVICE, new CmListener(3, false));
        for (int i = 0; i < 100; i++) {
            pair.a.agent.resolve(CmPair.SERVICE, 0xffff, new byte[0], CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        }
        pair.b.agent.resolve(CmPair.SERVICE, 0xffff, new byte[0], CmPair.path(CmPair.A_ADDRESS), pair.nowNs);
        pair.toA();
        assertEquals(1, pair.a.count(CmSignal.ResolutionRequested.class));
    }

    @Test
    void sameNumbersOfAnotherAddress_areAnotherConnection() {
        pair.connect(0x11);
        pair.a.collect();
        byte[] request = pair.a.wire.removeFirst();
        pair.b.receive(request, pair.nowNs);
        Origin elsewhere = new Origin().source(0, 0xffff_0a4d_0099L);
        pair.b.agent.onDatagram(MemorySegment.ofArray(request), 0, request.length, elsewhere, pair.nowNs);
        assertEquals(2, pair.b.count(CmSignal.Requested.class));
        assertEquals(2, pair.b.agent.connections().waiting());
    }
}
