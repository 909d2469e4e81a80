package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Packet scripts of a reliable connection: sent packets and completions, with and without loss. */
class RcScriptsTest {

    private final RcPair pair = RcPair.plain();
    private final RcPair.End a = pair.a;
    private final RcPair.End b = pair.b;
    private final Region from = a.region(64 * 1024);
    private final Region to = b.region(64 * 1024);

    private List<String> left(RcPair.End end) {
        end.transmit(pair.nowNs);
        List<String> lines = end.wireText();
        return lines;
    }

    /** Loses all packets on the wire of one end. */
    private static void lose(RcPair.End end) {
        end.wire.clear();
    }

    @Test
    void send_oneReceive_completesBothSides() {
        RcPair.fill(from, 1);
        b.postReceive(7, to, 64);
        a.post(
                WorkOpcode.SEND,
                WrFlags.SIGNALLED.withSolicited(),
                w -> w.wrId(1).addElement(from.localKey(), 0, 16));
        assertEquals(List.of("RC_SEND_ONLY psn=100 se ack, 16 bytes"), left(a));
        pair.deliver(a, b);
        assertEquals(List.of("7 RECEIVE SUCCESS 16 solicited"), b.completions());
        assertEquals(List.of("RC_ACKNOWLEDGE psn=100 ACK msn=1"), left(b));
        pair.deliver(b, a);
        assertEquals(List.of("1 SEND SUCCESS 16"), a.completions());
        assertTrue(RcPair.same(from, to, 16));
        assertEquals(Long.MAX_VALUE, a.engine.nextDeadlineNs(), "no timer runs");
    }

    @Test
    void write_threePackets_isSplitAtTheMtu() {
        RcPair.fill(from, 2);
        a.write(1, from, to, 2050);
        assertEquals(
                List.of(
                        "RC_WRITE_FIRST psn=100 length=2050, 1024 bytes",
                        "RC_WRITE_MIDDLE psn=101, 1024 bytes",
                        "RC_WRITE_LAST psn=102 ack, 2 bytes"),
                left(a));
        pair.run();
        assertEquals(List.of("1 WRITE SUCCESS 2050"), a.completions());
        assertTrue(RcPair.same(from, to, 2050));
    }

    @Test
    void read_threePackets_usesThreePsns() {
        RcPair.fill(to, 3);
        a.read(1, from, to, 3000);
        a.send(2, from, 4);
        b.postReceive(7, to, 64);
        assertEquals(List.of("RC_READ_REQUEST psn=100 ack length=3000", "RC_SEND_ONLY psn=103 ack, 4 bytes"), left(a));
        pair.deliver(a, b);
        assertEquals(
                List.of(
                        "RC_READ_RESPONSE_FIRST psn=100 ACK msn=1, 1024 bytes",
                        "RC_READ_RESPONSE_MIDDLE psn=101, 1024 bytes",
                        "RC_READ_RESPONSE_LAST psn=102 ACK msn=1, 952 bytes",
                        "RC_ACKNOWLEDGE psn=103 ACK msn=2"),
                left(b));
        pair.run();
        assertEquals(List.of("1 READ SUCCESS 3000", "2 SEND SUCCESS 4"), a.completions());
        assertTrue(RcPair.same(from, to, 3000));
    }

    @Test
    void atomic_answerLost_isExecutedOnce() {
        to.segment().set(JAVA_LONG, 0, 40);
        a.fetchAdd(1, from, to, 2);
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        lose(b);
        assertTrue(pair.nextDeadline());
        assertEquals(1, left(a).size());
        pair.run();
        assertEquals(List.of("1 FETCH_AND_ADD SUCCESS 8"), a.completions());
        assertEquals(40, from.segment().get(JAVA_LONG, 0));
        assertEquals(42, to.segment().get(JAVA_LONG, 0));
    }

    @Test
    void compareAndSwap_swapsWhenEqual() {
        to.segment().set(JAVA_LONG, 0, 40);
        for (long expected : new long[] {39, 40}) {
            a.post(
                    WorkOpcode.COMPARE_AND_SWAP,
                    WrFlags.SIGNALLED,
                    w -> w.wrId(expected)
                            .remoteAddress(to.baseAddress())
                            .rkey(to.rkey())
                            .operand1(expected)
                            .operand2(77)
                            .addElement(from.localKey(), 0, 8));
            pair.run();
            assertEquals(40, from.segment().get(JAVA_LONG, 0));
            assertEquals(expected == 39 ? 40 : 77, to.segment().get(JAVA_LONG, 0));
        }
    }

    @Test
    void noAnswer_requestsAreRepeated_thenTheWorkFails() {
        a.send(1, from, 4);
        a.send(2, from, 4);
        List<String> first = left(a);
        for (int i = 0; i < 3; i++) {
            lose(a);
            long beforeNs = pair.nowNs;
            assertTrue(pair.nextDeadline());
            assertTrue(pair.nowNs - beforeNs >= RcPair.TIMEOUT_NS - 5);
            assertEquals(first, left(a), "the same PSNs again");
        }
        lose(a);
        pair.nextDeadline();
        assertEquals(
                CompletionStatus.RETRY_EXCEEDED,
                a.engine.failure().orElseThrow().status());
        assertTrue(a.engine.flush());
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4", "2 SEND FLUSHED 4"), a.completions());
        assertFalse(a.engine.hasTransmitWork(pair.nowNs));
    }

    @Test
    void noReceive_oneRnrNak_sendIsRepeatedAfterTheTimer() {
        for (int i = 1; i <= 3; i++) {
            a.send(i, from, 4);
        }
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=100 RNR NAK 0.64 ms msn=0"), left(b));
        pair.deliver(b, a);
        for (int i = 1; i <= 3; i++) {
            b.postReceive(i, to, 64);
        }
        assertEquals(List.of(), left(a), "the timer runs");
        long beforeNs = pair.nowNs;
        assertTrue(pair.nextDeadline());
        assertEquals(640_000, pair.nowNs - beforeNs);
        pair.run();
        assertEquals(List.of("1 SEND SUCCESS 4", "2 SEND SUCCESS 4", "3 SEND SUCCESS 4"), a.completions());
        assertEquals(3, b.completions().size());
    }

    @Test
    void noReceive_retriesExhausted_workFails() {
        a.send(1, from, 4);
        int transmissions = 0;
        while (a.engine.failure().isEmpty()) {
            transmissions += left(a).size();
            pair.run();
            pair.nextDeadline();
        }
        assertEquals(4, transmissions, "one attempt and three retries");
        assertEquals(
                CompletionStatus.RECEIVER_NOT_READY,
                a.engine.failure().orElseThrow().status());
    }

    @Test
    void packetLost_oneNak_restIsSentAgain() {
        for (int i = 0; i < 5; i++) {
            b.postReceive(i, to, 64);
            a.send(i, from, 4);
        }
        a.transmit(pair.nowNs);
        byte[] lost = a.wire.removeFirst();
        a.wire.removeFirst();
        a.wire.addFirst(lost);
        pair.deliver(a, b);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=101 NAK PSN sequence msn=1"), left(b), "one NAK for three packets");
        pair.deliver(b, a);
        assertEquals(List.of("0 SEND SUCCESS 4"), a.completions(), "packets before the refused PSN have arrived");
        assertEquals(4, left(a).size());
        pair.run();
        assertEquals(4, a.completions().size());
        assertEquals(5, b.completions().size());
    }

    @Test
    void middleOfAReadLost_onlyTheRestIsRequestedAgain() {
        RcPair.fill(to, 4);
        a.read(1, from, to, 3000);
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        byte[] first = b.wire.removeFirst();
        b.wire.removeFirst();
        b.wire.addFirst(first);
        pair.deliver(b, a);
        assertEquals(List.of("RC_READ_REQUEST psn=101 ack length=1976"), left(a));
        pair.deliver(a, b);
        assertEquals(
                List.of(
                        "RC_READ_RESPONSE_FIRST psn=101 ACK msn=1, 1024 bytes",
                        "RC_READ_RESPONSE_LAST psn=102 ACK msn=1, 952 bytes"),
                left(b));
        pair.run();
        assertEquals(List.of("1 READ SUCCESS 3000"), a.completions());
        assertTrue(RcPair.same(from, to, 3000));
    }

    @Test
    void readUnanswered_ackOfALaterSend_readIsRequestedAgain() {
        b.postReceive(7, to, 64);
        a.read(1, from, to, 100);
        a.send(2, from, 4);
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        b.wire.removeFirst();
        pair.deliver(b, a);
        assertEquals(List.of(), a.completions(), "an acknowledgement never completes a Read");
        assertEquals(List.of("RC_READ_REQUEST psn=100 ack length=100", "RC_SEND_ONLY psn=101 ack, 4 bytes"), left(a));
        pair.run();
        assertEquals(List.of("1 READ SUCCESS 100", "2 SEND SUCCESS 4"), a.completions());
        assertEquals(1, b.completions().size());
    }

    @Test
    void sendDelivered_duplicate_isAcknowledgedAndNotDelivered() {
        b.postReceive(1, to, 64);
        b.postReceive(2, to, 64);
        a.send(1, from, 4);
        a.send(2, from, 4);
        a.transmit(pair.nowNs);
        byte[] copy = a.wire.peekFirst();
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        lose(b);
        b.receive(copy, pair.nowNs);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=101 ACK msn=2"), left(b));
        assertEquals(2, b.completions().size());
    }

    @Test
    void write_wrongKey_isRefusedAndBothEndsFail() {
        a.write(1, from, to.baseAddress(), to.rkey() + 1, 8);
        a.write(2, from, to, 8);
        pair.run();
        assertEquals(
                CompletionStatus.REMOTE_ACCESS, a.engine.failure().orElseThrow().status());
        assertTrue(b.engine.failure().isPresent());
        a.engine.flush();
        assertEquals(List.of("1 WRITE REMOTE_ACCESS 8", "2 WRITE FLUSHED 8"), a.completions());
    }

    @Test
    void write_beyondTheRegion_isRefusedWithoutPlacement() {
        RcPair.fill(from, 5);
        a.write(1, from, to.baseAddress() + to.length() - 2048, to.rkey(), 2049);
        pair.run();
        assertEquals(
                CompletionStatus.REMOTE_ACCESS, a.engine.failure().orElseThrow().status());
        assertEquals(0, to.segment().get(JAVA_LONG, to.length() - 2048));
    }

    @Test
    void read_memoryWithoutTheRight_isRefused() {
        Region secret = b.region(64, Set.of(AccessRight.REMOTE_WRITE));
        a.read(1, from, secret, 8);
        pair.run();
        assertEquals(
                CompletionStatus.REMOTE_ACCESS, a.engine.failure().orElseThrow().status());
    }

    @Test
    void peerRights_operationNotPermitted_isRefused() {
        b.engine.peerRights(Set.of(AccessRight.REMOTE_READ));
        a.write(1, from, to, 8);
        pair.run();
        assertEquals(
                CompletionStatus.REMOTE_INVALID_REQUEST,
                a.engine.failure().orElseThrow().status());
    }

    @Test
    void sendLongerThanTheReceive_failsBothEnds() {
        b.postReceive(7, to, 8);
        a.send(1, from, 9);
        pair.run();
        assertEquals(
                CompletionStatus.REMOTE_INVALID_REQUEST,
                a.engine.failure().orElseThrow().status());
        assertTrue(b.engine.failure().isPresent());
    }

    @Test
    void writeWithImmediate_completesAReceiveOfAnyLength() {
        b.postEmptyReceive(7);
        a.post(
                WorkOpcode.WRITE_WITH_IMMEDIATE,
                WrFlags.SIGNALLED,
                w -> w.wrId(1)
                        .remoteAddress(to.baseAddress())
                        .rkey(to.rkey())
                        .operand1(0xabcd)
                        .addElement(from.localKey(), 0, 2000));
        pair.run();
        assertEquals(List.of("7 RECEIVE_WRITE_IMMEDIATE SUCCESS 2000 imm=43981"), b.completions());
        assertEquals(List.of("1 WRITE SUCCESS 2000"), a.completions());
    }

    @Test
    void fencedSend_waitsForTheRead() {
        b.postReceive(7, to, 64);
        a.read(1, from, to, 100);
        a.post(WorkOpcode.SEND, WrFlags.SIGNALLED.withFence(), w -> w.wrId(2).addElement(from.localKey(), 0, 4));
        assertEquals(1, left(a).size());
        pair.run();
        assertEquals(List.of("1 READ SUCCESS 100", "2 SEND SUCCESS 4"), a.completions());
    }

    @Test
    void reads_beyondTheDepth_wait() {
        for (int i = 0; i < 6; i++) {
            a.read(i, from, to, 10);
        }
        assertEquals(4, left(a).size());
        pair.run();
        assertEquals(6, a.completions().size());
    }

    @Test
    void ackForAPsnThatWasNeverSent_isIgnored() {
        a.send(1, from, 4);
        a.transmit(pair.nowNs);
        b.send(9, to, 4);
        RcPair stranger = new RcPair(
                RcPair.settings(RcPair.A_QP, RcPair.B_QP, 100, 900),
                RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, 100));
        stranger.b.postReceive(1, stranger.b.region(64), 64);
        stranger.b.postReceive(2, stranger.b.region(64), 64);
        stranger.a.send(1, stranger.a.region(64), 4);
        stranger.a.send(2, stranger.a.region(64), 4);
        stranger.a.transmit(5);
        stranger.deliver(stranger.a, stranger.b);
        stranger.b.transmit(5);
        a.receive(stranger.b.wire.removeLast(), pair.nowNs);
        assertEquals(List.of(), a.completions());
        assertTrue(a.engine.failure().isEmpty());
    }

    @Test
    void drain_startedWorkCompletes_furtherWorkWaits() {
        b.postReceive(7, to, 64 * 1024);
        b.postReceive(8, to, 64 * 1024);
        a.send(1, from, 5000);
        a.transmit(pair.nowNs);
        a.send(2, from, 4);
        a.engine.drain(true);
        assertFalse(a.engine.drained());
        pair.run();
        assertTrue(a.engine.drained());
        assertEquals(List.of("1 SEND SUCCESS 5000"), a.completions());
        a.engine.drain(false);
        pair.run();
        assertEquals(List.of("2 SEND SUCCESS 4"), a.completions());
    }

    @Test
    void window_full_furtherPacketsWait() {
        a.write(1, from, to, 64 * 1024);
        a.write(2, from, to, 64 * 1024);
        a.write(3, from, to, 64 * 1024);
        assertEquals(128, left(a).size());
        assertTrue(a.wireText().get(127).contains(" ack"), "the last packet requests an acknowledgement");
        pair.run();
        assertEquals(3, a.completions().size());
    }
}
