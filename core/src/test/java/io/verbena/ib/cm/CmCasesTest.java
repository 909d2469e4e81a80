package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.CmaHeader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The numbered wire cases of communication management. */
class CmCasesTest {

    private static final long TIMEOUT_NS = 4_096L << 20;

    private CmPair pair = new CmPair();

    @TestFactory
    Stream<DynamicTest> setUp() {
        return Stream.of(
                ibCase(
                        76,
                        "a REQ twice before the REP is signalled once and answered by an MRA, again and again",
                        () -> {
                            pair.connect(0x11);
                            pair.a.collect();
                            byte[] req = pair.a.wire.removeFirst();
                            pair.b.receive(req, pair.nowNs);
                            assertEquals(List.of(), pair.b.sent());
                            pair.b.receive(req, pair.nowNs);
                            assertEquals(List.of("MRA"), pair.b.sent());
                            assertEquals(1, pair.b.count(CmSignal.Requested.class));
                            int connection =
                                    pair.b.last(CmSignal.Requested.class).connection();
                            pair.b.agent.delay(connection, 24, pair.nowNs);
                            pair.b.receive(req, pair.nowNs);
                            assertEquals(List.of("MRA", "MRA"), pair.b.sent());
                            pair.b.agent.accept(connection, CmPair.answer(0x22), pair.nowNs);
                            pair.b.receive(req, pair.nowNs);
                            assertEquals(List.of("REP"), pair.b.sent());
                        }),
                ibCase(77, "a lost REP is repeated; a repeated REP is answered by the RTU again", () -> {
                    int local = pair.connect(0x11);
                    pair.toB();
                    int remote = pair.b.last(CmSignal.Requested.class).connection();
                    pair.b.agent.accept(remote, CmPair.answer(0x22), pair.nowNs);
                    assertEquals(List.of("REP"), pair.b.sent());
                    pair.pass(TIMEOUT_NS);
                    pair.b.collect();
                    byte[] rep = pair.b.wire.removeFirst();
                    pair.a.receive(rep, pair.nowNs);
                    pair.a.agent.ready(local, new byte[0], pair.nowNs);
                    assertEquals(List.of("REQ", "RTU"), pair.a.sent());
                    pair.a.receive(rep, pair.nowNs);
                    assertEquals(List.of("RTU"), pair.a.sent());
                    assertEquals(1, pair.a.count(CmSignal.Replied.class));
                }),
                ibCase(78, "the RTU was lost: the first packet establishes the connection", () -> {
                    int local = pair.connect(0x11);
                    pair.toB();
                    int remote = pair.b.last(CmSignal.Requested.class).connection();
                    pair.b.agent.accept(remote, CmPair.answer(0x22), pair.nowNs);
                    pair.toA();
                    pair.a.agent.ready(local, new byte[0], pair.nowNs);
                    pair.b.agent.dataCame(remote, pair.nowNs);
                    pair.b.agent.dataCame(remote, pair.nowNs);
                    pair.toB();
                    assertEquals(1, pair.b.count(CmSignal.Established.class));
                    assertEquals(Long.MAX_VALUE, pair.b.agent.nextDeadlineNs());
                }),
                ibCase(79, "the same queue pair under another number: the peer has restarted", () -> {
                    pair.established();
                    CmPair reborn = new CmPair(50, false);
                    reborn.connect(0x11);
                    reborn.a.collect();
                    pair.b.receive(reborn.a.wire.removeFirst(), pair.nowNs);
                    assertEquals(List.of("REJ 10", "DREQ"), pair.b.sent());
                }),
                ibCase(80, "a REQ for a connection in TIMEWAIT is rejected as stale", () -> {
                    int local = pair.connect(0x11);
                    pair.a.collect();
                    byte[] req = pair.a.wire.peekFirst();
                    pair.toB();
                    int remote = pair.b.last(CmSignal.Requested.class).connection();
                    pair.b.agent.accept(remote, CmPair.answer(0x22), pair.nowNs);
                    pair.toA();
                    pair.a.agent.ready(local, new byte[0], pair.nowNs);
                    pair.a.agent.disconnect(local, pair.nowNs);
                    pair.toB();
                    assertEquals(List.of("DREP"), pair.b.sent());
                    pair.b.receive(req, pair.nowNs);
                    assertEquals(List.of("REJ 10"), pair.b.sent());
                }),
                ibCase(81, "a REQ for a service without a listener is rejected", () -> {
                    pair.b.agent.stopListening(CmPair.SERVICE);
                    pair.connect(0x11);
                    pair.toB();
                    pair.toA();
                    CmSignal.Rejected rejected = pair.a.last(CmSignal.Rejected.class);
                    assertEquals(8, rejected.reason());
                    assertEquals(0, pair.a.agent.size());
                }),
                ibCase(
                        82,
                        "no answer to a REQ: seven retries in the time of 15, then a REJ, and the connection ends",
                        () -> {
                            pair.connect(0x11);
                            for (int i = 0; i < 8; i++) {
                                assertEquals(List.of("REQ"), pair.a.sent());
                                pair.pass((TIMEOUT_NS << (i == 0 ? 0 : 1)) - 1);
                                assertEquals(List.of(), pair.a.sent());
                                pair.pass(1);
                            }
                            assertEquals(List.of("REJ 4"), pair.a.sent());
                            assertEquals(1, pair.a.count(CmSignal.TimedOut.class));
                            assertEquals(0, pair.a.agent.size());
                        }),
                ibCase(83, "an MRA extends the timer", () -> {
                    pair.connect(0x11);
                    pair.toB();
                    int remote = pair.b.last(CmSignal.Requested.class).connection();
                    pair.b.agent.delay(remote, 24, pair.nowNs);
                    pair.toA();
                    pair.pass((4_096L << 24) + TIMEOUT_NS - 1);
                    assertEquals(List.of(), pair.a.sent());
                    pair.pass(1);
                    assertEquals(List.of("REQ"), pair.a.sent());
                }),
                ibCase(87, "private data with another address is rejected", () -> {
                    CmPair ip = new CmPair();
                    ip.b.agent.stopListening(CmPair.SERVICE);
                    ip.b.agent.listen(CmPair.SERVICE, CmListener.IP);
                    long[] targets = {CmPair.B_ADDRESS, CmPair.A_ADDRESS};
                    for (int i = 0; i < 2; i++) {
                        byte[] data = new byte[CmaHeader.LENGTH + 4];
                        new CmaHeader()
                                .wrap(MemorySegment.ofArray(data), 0)
                                .ipVersion(4)
                                .target(0, targets[i] & 0xffff_ffffL);
                        CmOffer o = CmPair.offer(0x11 + i);
                        ip.a.agent.connect(
                                new CmOffer(o.serviceId(), 0, o.endpoint(), o.mtuCode(), o.retries(), data),
                                CmPair.path(CmPair.B_ADDRESS),
                                ip.nowNs);
                        ip.toB();
                        assertEquals(i == 0 ? List.of() : List.of("REJ 28"), ip.b.sent());
                    }
                    assertEquals(1, ip.b.count(CmSignal.Requested.class));
                }),
                ibCase(88, "datagrams of another class or version are ignored", () -> {
                    pair.connect(0x11);
                    pair.a.collect();
                    byte[] req = pair.a.wire.removeFirst();
                    int[] at = {0, 1, 2, 3, 3, 5};
                    int[] value = {2, 6, 1, 0x83, 1, 9};
                    for (int i = 0; i < at.length; i++) {
                        byte[] wrong = req.clone();
                        wrong[at[i]] = (byte) value[i];
                        pair.b.receive(wrong, pair.nowNs);
                    }
                    pair.b.receive(Arrays.copyOf(req, 255), pair.nowNs);
                    byte[] unknown = req.clone();
                    unknown[17] = 0x77;
                    pair.b.receive(unknown, pair.nowNs);
                    assertEquals(List.of(), pair.b.sent());
                    assertEquals(0, pair.b.agent.size());
                }));
    }

    @TestFactory
    Stream<DynamicTest> endsAndServices() {
        return Stream.of(
                ibCase(84, "DREQs that cross: each is answered, both go to TIMEWAIT once", () -> {
                    int[] both = pair.established();
                    pair.a.agent.disconnect(both[0], pair.nowNs);
                    pair.b.agent.disconnect(both[1], pair.nowNs);
                    pair.a.collect();
                    pair.b.collect();
                    byte[] local = pair.a.wire.removeFirst();
                    byte[] remote = pair.b.wire.removeFirst();
                    pair.a.receive(remote, pair.nowNs);
                    pair.b.receive(local, pair.nowNs);
                    assertEquals("DREP", CmPair.name(pair.a.wire.getFirst()));
                    assertEquals("DREP", CmPair.name(pair.b.wire.getFirst()));
                    pair.toA();
                    pair.toB();
                    assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
                    assertEquals(1, pair.b.count(CmSignal.Disconnected.class));
                    pair.pass(4_096L << 19);
                    assertEquals(1, pair.a.count(CmSignal.Over.class));
                    assertEquals(0, pair.a.agent.size() + pair.b.agent.size());
                }),
                ibCase(85, "a DREQ for an unknown connection, in TIMEWAIT, with a wrong queue pair", () -> {
                    int[] both = pair.established();
                    pair.a.agent.disconnect(both[0], pair.nowNs);
                    pair.a.collect();
                    byte[] dreq = pair.a.wire.removeFirst();
                    byte[] wrong = dreq.clone();
                    wrong[24 + 8] = 9;
                    pair.b.receive(wrong, pair.nowNs);
                    assertEquals(List.of(), pair.b.sent());
                    pair.b.receive(dreq, pair.nowNs);
                    pair.b.receive(dreq, pair.nowNs);
                    assertEquals(List.of("DREP", "DREP"), pair.b.sent());
                    assertEquals(1, pair.b.count(CmSignal.Disconnected.class));
                    CmPair stranger = new CmPair(9, false);
                    stranger.b.receive(dreq, pair.nowNs);
                    assertEquals(List.of("DREP"), stranger.b.sent());
                }),
                ibCase(86, "a lost DREP: the DREQ is repeated, then TIMEWAIT follows", () -> {
                    int[] both = pair.established();
                    pair.a.sent();
                    pair.a.agent.disconnect(both[0], pair.nowNs);
                    for (int i = 0; i < 20; i++) {
                        assertEquals(List.of("DREQ"), pair.a.sent());
                        assertEquals(0, pair.a.count(CmSignal.Disconnected.class));
                        pair.pass((TIMEOUT_NS >> 4 << Math.min(i, 4)) - 1);
                        assertEquals(List.of(), pair.a.sent());
                        pair.pass(1);
                    }
                    assertEquals(List.of(), pair.a.sent());
                    assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
                }),
                ibCase(89, "the resolution of a datagram service", () -> {
                    pair.b.agent.listen(99, new CmListener(0, false));
                    int id =
                            pair.a.agent.resolve(99, 0xffff, new byte[] {7}, CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
                    pair.a.collect();
                    byte[] question = pair.a.wire.removeFirst();
                    pair.b.receive(question, pair.nowNs);
                    pair.b.receive(question, pair.nowNs);
                    assertEquals(1, pair.b.count(CmSignal.ResolutionRequested.class));
                    CmSignal.ResolutionRequested asked = pair.b.last(CmSignal.ResolutionRequested.class);
                    assertEquals(7, asked.privateData()[0]);
                    pair.b.agent.answerResolution(asked.connection(), 0, 0x22, 0x0123_4567, new byte[0]);
                    pair.toA();
                    CmSignal.Resolved resolved = pair.a.last(CmSignal.Resolved.class);
                    assertEquals(id, resolved.connection());
                    assertEquals(0x22, resolved.queuePair());
                    assertEquals(0x0123_4567, resolved.qKey());
                    pair.a.agent.resolve(98, 0xffff, new byte[0], CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
                    pair.toB();
                    assertEquals(List.of("SIDR_REP 1"), pair.b.sent());
                }),
                ibCase(
                        90,
                        "alternate paths are rejected if the application does not answer proposals, else loaded",
                        () -> {
                            CmPort.Alternate path =
                                    new CmPort.Alternate(0, 0xffff_0a4e_0003L, 0, 0xffff_0a4e_0002L, 19);
                            int[] both = pair.established();
                            pair.a.agent.proposeAlternate(both[0], path, pair.nowNs);
                            pair.toB();
                            pair.toA();
                            assertEquals(
                                    3,
                                    pair.a
                                            .last(CmSignal.AlternateAnswered.class)
                                            .status());
                            pair = new CmPair(1, true);
                            both = pair.established();
                            pair.a.agent.proposeAlternate(both[0], path, pair.nowNs);
                            pair.a.collect();
                            byte[] lap = pair.a.wire.removeFirst();
                            pair.b.receive(lap, pair.nowNs);
                            CmSignal.AlternateProposed proposed = pair.b.last(CmSignal.AlternateProposed.class);
                            assertEquals(0xffff_0a4e_0003L, proposed.path().addressLow());
                            pair.b.agent.answerAlternate(both[1], 0);
                            pair.b.receive(lap, pair.nowNs);
                            assertEquals("APR 0", CmPair.name(pair.b.wire.getFirst()));
                            assertEquals(2, pair.b.wire.size());
                            pair.toA();
                            assertEquals(1, pair.a.count(CmSignal.AlternateAnswered.class));
                            assertEquals(
                                    0,
                                    pair.a
                                            .last(CmSignal.AlternateAnswered.class)
                                            .status());
                            assertEquals(Long.MAX_VALUE, pair.a.agent.nextDeadlineNs());
                        }));
    }

    private DynamicTest ibCase(int number, String name, Runnable script) {
        return DynamicTest.dynamicTest(number + ": " + name, () -> {
            pair = new CmPair();
            script.run();
        });
    }

    @Test
    void requests_beyondTheLimit_areRejected_othersContinue() {
        for (int i = 0; i < 20; i++) {
            pair.connect(0x100 + i);
        }
        pair.toB();
        assertEquals(8, pair.b.count(CmSignal.Requested.class));
        List<String> answers = pair.b.sent();
        assertEquals(12, answers.size());
        assertTrue(answers.stream().allMatch("REJ 3"::equals));
        pair.b.agent.accept(pair.b.last(CmSignal.Requested.class).connection(), CmPair.answer(0x22), pair.nowNs);
        assertEquals(List.of("REP"), pair.b.sent());
    }

    @Test
    void request_notAnsweredByTheApplication_ends() {
        pair.connect(0x11);
        pair.toB();
        pair.pass(16 * TIMEOUT_NS);
        assertEquals(List.of("REJ 4"), pair.b.sent());
        assertEquals(1, pair.b.count(CmSignal.TimedOut.class));
        assertEquals(0, pair.b.agent.size());
    }

    @Test
    void datagram_fromAnotherAddressWithValidNumbers_hasNoEffect() {
        int[] both = pair.established();
        pair.a.agent.disconnect(both[0], pair.nowNs);
        pair.a.collect();
        byte[] dreq = pair.a.wire.removeFirst();
        Origin elsewhere = new Origin().source(0, 0xffff_0a4d_0099L);
        pair.b.agent.onDatagram(MemorySegment.ofArray(dreq), 0, dreq.length, elsewhere, pair.nowNs);
        assertEquals(0, pair.b.count(CmSignal.Disconnected.class));
        assertEquals(List.of("DREP"), pair.b.sent(), "as for any unknown connection");
    }

    @Test
    void rejectedReply_endsBothSides() {
        int local = pair.connect(0x11);
        pair.toB();
        pair.b.agent.accept(pair.b.last(CmSignal.Requested.class).connection(), CmPair.answer(0x22), pair.nowNs);
        pair.toA();
        assertEquals(
                0x22, pair.a.last(CmSignal.Replied.class).answer().endpoint().queuePair());
        pair.a.agent.reject(local, CmReject.CONSUMER, new byte[] {9});
        pair.toB();
        CmSignal.Rejected rejected = pair.b.last(CmSignal.Rejected.class);
        assertEquals(28, rejected.reason());
        assertEquals(9, rejected.privateData()[0]);
        assertEquals(0, pair.a.agent.size() + pair.b.agent.size());
    }

    @Test
    void callsForAConnectionThatHasEnded_returnFalse() {
        pair.connect(0x11);
        pair.toB();
        int remote = pair.b.last(CmSignal.Requested.class).connection();
        pair.pass(16 * TIMEOUT_NS);
        assertFalse(pair.b.agent.accept(remote, CmPair.answer(0x22), pair.nowNs));
        assertFalse(pair.b.agent.reject(remote, CmReject.CONSUMER, new byte[0]));
        assertFalse(pair.b.agent.delay(remote, 20, pair.nowNs));
        assertFalse(pair.b.agent.ready(remote, new byte[0], pair.nowNs));
        assertFalse(pair.b.agent.dataCame(remote, pair.nowNs));
        assertFalse(pair.b.agent.answerAlternate(remote, 0));
    }

    @Test
    void requestPending_requestOfTheRestartedPeer_endsTheOldOne() {
        pair.connect(0x11);
        pair.toB();
        int old = pair.b.last(CmSignal.Requested.class).connection();
        CmPair reborn = new CmPair(50, false);
        reborn.connect(0x11);
        reborn.a.collect();
        pair.b.receive(reborn.a.wire.removeFirst(), pair.nowNs);
        assertEquals(new CmSignal.TimedOut(old), pair.b.last(CmSignal.TimedOut.class));
        assertFalse(pair.b.agent.accept(old, CmPair.answer(0x22), pair.nowNs));
    }

    @Test
    void misuse_throws() {
        int local = pair.connect(0x11);
        assertThrows(IllegalStateException.class, () -> pair.a.agent.accept(local, CmPair.answer(1), pair.nowNs));
        assertThrows(IllegalStateException.class, () -> pair.a.agent.ready(local, new byte[0], pair.nowNs));
        assertFalse(pair.a.agent.disconnect(local + 1, pair.nowNs));
        assertFalse(CmTable.TABLE.mermaid("C_").isEmpty());
    }

    @Test
    void requestWithdrawn_peerWhoseNumberIsx() {
        CmPair pair = new CmPair();
        int local = pair.connect(0x11);
        pair.toB();
        int remote = pair.b.last(CmSignal.Requested.class).connection();
        pair.a.agent.disconnect(local, pair.nowNs);
        pair.toB();
        assertEquals(1, pair.b.count(CmSignal.Rejected.class));
        assertFalse(pair.b.agent.accept(remote, CmPair.answer(0x22), pair.nowNs));
    }

    @Test
    void requestNotDelivered_twoCopiesReported_unreachable() {
        pair.connect(0x11);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.a.agent.onUnreachable(0, CmPair.A_ADDRESS, pair.nowNs);
        for (int i = 0; i < 3; i++) {
            pair.a.agent.onUnreachable(0, CmPair.B_ADDRESS, pair.nowNs); // of one copy
        }
        assertEquals(0, pair.a.count(CmSignal.Unreachable.class));
        pair.pass(TIMEOUT_NS);
        assertEquals(List.of("REQ"), pair.a.sent());
        pair.a.agent.onUnreachable(0, CmPair.B_ADDRESS, pair.nowNs);
        assertEquals(1, pair.a.count(CmSignal.Unreachable.class));
        assertEquals(List.of("REJ 4"), pair.a.sent());
        assertEquals(0, pair.a.agent.size());
    }

    @Test
    void peerUnreachable_disconnectEnds_connectionAndRepliedRequestRemain() {
        int[] both = pair.established();
        pair.a.agent.onUnreachable(0, CmPair.B_ADDRESS, pair.nowNs);
        pair.b.agent.onUnreachable(0, CmPair.A_ADDRESS, pair.nowNs);
        assertEquals(0, pair.a.count(CmSignal.Disconnected.class));
        int replied = pair.connect(0x12);
        pair.toB();
        pair.b.agent.accept(pair.b.last(CmSignal.Requested.class).connection(), CmPair.answer(0x23), pair.nowNs);
        pair.toA();
        pair.a.agent.onUnreachable(0, CmPair.B_ADDRESS, pair.nowNs);
        assertTrue(pair.a.agent.ready(replied, new byte[0], pair.nowNs));
        pair.a.agent.disconnect(both[0], pair.nowNs);
        pair.a.agent.onUnreachable(0, CmPair.B_ADDRESS, pair.nowNs);
        assertEquals(both[0], pair.a.last(CmSignal.Disconnected.class).connection());
        assertEquals(1, pair.a.count(CmSignal.Disconnected.class));
    }
}
