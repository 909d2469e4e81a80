package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Set-up between processes that have no processor for seconds: slow, but neither given up nor a storm of requests. */
class CmStarvationTest {

    private static final long TIMEOUT_NS = CmConnection.timeNs(20);
    private static final int SLOW_STEPS = 200;

    private final CmPair pair = new CmPair();

    /** Both sides exchange what they have; returns the number of requests that left. */
    private int exchange() {
        int requests = 0;
        for (int i = 0; i < 3; i++) {
            pair.a.collect();
            for (byte[] each : pair.a.wire) {
                requests += CmPair.name(each).equals("REQ") ? 1 : 0;
            }
            pair.toB();
            pair.toA();
        }
        return requests;
    }

    @Test
    void acceptorAnswersLate_mraBetween_fewRequestsAndEstablished() {
        int ours = pair.connect(0x11);
        int requests = exchange();
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        // 40 time-outs: 2.5 times as long as the requester would repeat its request to a silent peer.
        for (int i = 0; i < SLOW_STEPS; i++) {
            pair.pass(TIMEOUT_NS / 5);
            requests += exchange();
        }
        assertEquals(0, pair.a.count(CmSignal.TimedOut.class));
        assertTrue(requests <= 12, requests + " requests");
        assertTrue(pair.b.agent.accept(theirs, CmPair.answer(0x22), pair.nowNs));
        exchange();
        assertEquals(1, pair.a.count(CmSignal.Replied.class));
        assertTrue(pair.a.agent.ready(ours, new byte[0], pair.nowNs));
        exchange();
        assertEquals(1, pair.b.count(CmSignal.Established.class));
    }

    @Test
    void peersAnswerSlowly_nextRequest_waitsLonger() {
        pair.connect(0x11);
        exchange();
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        pair.pass(TIMEOUT_NS * 9 / 10);
        pair.b.agent.accept(theirs, CmPair.answer(0x22), pair.nowNs);
        exchange();
        pair.connect(0x12);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.pass(TIMEOUT_NS * 17 / 10);
        assertEquals(List.of(), pair.a.sent());
        pair.pass(TIMEOUT_NS / 5);
        assertEquals(List.of("REQ"), pair.a.sent());
    }

    /** A process without a processor notices its time-outs late: each counts once. */
    @Test
    void requesterStopped_muchLongerThanAllRetries_repeatsOnce() {
        pair.connect(0x11);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.pass(100 * TIMEOUT_NS);
        assertEquals(List.of("REQ"), pair.a.sent());
        assertEquals(0, pair.a.count(CmSignal.TimedOut.class));
    }

    /** The port of an RNIC repeats its request as long as TCP its SYN, and states what the field of a REQ can hold. */
    @Test
    void peerSilentForTwoMinutes_requestIsRepeatedUntilThen() {
        CmAgent agent = patientAgent();
        long startNs = pair.nowNs;
        agent.connect(CmPair.offer(0x11), CmPair.path(2), startNs);
        int requests = 0;
        long nowNs = startNs;
        while (agent.pollSignal().isEmpty()) {
            for (Optional<CmAgent.Outgoing> each = agent.pollOutgoing();
                    each.isPresent();
                    each = agent.pollOutgoing()) {
                CmMessage message = new CmMessage();
                byte[] bytes = each.get().bytes();
                assertTrue(message.read(MemorySegment.ofArray(bytes), 0, bytes.length));
                assertEquals(15, message.req().maxCmRetries());
                requests++;
            }
            nowNs = agent.nextDeadlineNs();
            agent.onDeadline(nowNs);
        }
        assertEquals(120, (nowNs - startNs) / 1e9, 1.5);
        assertTrue(requests > 100 && requests < 120, requests + " requests");
    }

    @Test
    void peerSilentForAMinute_thenAnswers_isReached() {
        CmAgent agent = patientAgent();
        int connection = agent.connect(CmPair.offer(0x11), CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        byte[] request = agent.pollOutgoing().orElseThrow().bytes();
        for (long endNs = pair.nowNs + 60_000_000_000L; pair.nowNs - endNs < 0; ) {
            pair.nowNs = agent.nextDeadlineNs();
            agent.onDeadline(pair.nowNs);
        }
        assertEquals(Optional.empty(), agent.pollSignal());
        pair.b.receive(request, pair.nowNs);
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        pair.b.agent.accept(theirs, CmPair.answer(0x22), pair.nowNs);
        pair.b.collect();
        byte[] reply = pair.b.wire.removeFirst();
        Origin fromB = new Origin().source(0, CmPair.B_ADDRESS).target(0, CmPair.A_ADDRESS);
        agent.onDatagram(MemorySegment.ofArray(reply), 0, reply.length, fromB, pair.nowNs);
        CmSignal signal = agent.pollSignal().orElseThrow();
        assertEquals(
                connection, assertInstanceOf(CmSignal.Replied.class, signal).connection());
    }

    private static CmAgent patientAgent() {
        CmPort.Address address = CmPort.Address.of(0, CmPair.A_ADDRESS, CmPair.A_GUID);
        return new CmAgent(new CmPort(address, 17, 223, 8, false, CmPort.Gids.NONE), new SplittableRandom(1)::nextLong);
    }
}
