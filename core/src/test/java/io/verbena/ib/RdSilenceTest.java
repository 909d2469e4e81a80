package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.request.RetryCounters;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An end-to-end context declares a silent peer lost, and not one that answers; a packet that never arrives ends the context as well. The rows
 * are those of {@link PeerSilenceTest} for connections; RNR NAKs and RESYNC are particular to contexts.
 */
class RdSilenceTest {

    private static final int FIRST = 100;
    private static final int ACK = 31;
    private static final long MS = 1_000_000;
    private static final int RETRIES = 7;

    /** Time-outs without any answer: 1, 2, 4 and 8 ms, and then 16 ms each. */
    private static final long DECLARED_LOST_NS = (15 + 4 * 16) * MS;

    private static final int MOST_REPETITIONS = RetryCounters.REPETITIONS_PER_RETRY * RETRIES;

    /** An answer that proves that the peer lives, without progress. */
    private enum Sign {
        /** The acknowledgement of an older message, again. */
        OLD_ACK,
        /** The peer reports the oldest packet as missing. */
        SEQUENCE_NAK,
        /** A response that arrived already. */
        OLD_RESPONSE
    }

    private RdNode node = new RdNode(0, 2, 3, FIRST, RcSettings.UNLIMITED);
    private RdNode.Pair pair = node.pairs.getFirst();
    private Region memory = node.region(64);
    private long nowNs = Long.MAX_VALUE - 50 * MS - 7;

    private void limitNotReady(int retries) {
        node = new RdNode(0, 2, 3, FIRST, retries);
        pair = node.pairs.getFirst();
        memory = node.region(64);
    }

    private void post(WorkOpcode opcode, long id, int toNode) {
        pair.post(opcode, toNode, 0x10, w -> w.wrId(id).addElement(memory.localKey(), 0, 4));
    }

    private int sent() {
        node.transmit(nowNs);
        int packets = node.wire(1).size();
        node.wire(1).clear();
        return packets;
    }

    private void tick(long durationNs) {
        nowNs += durationNs;
        node.context(1).onDeadline(nowNs);
    }

    private void passes(long durationNs) {
        for (long ns = 0; ns < durationNs; ns += MS) {
            tick(MS);
            sent();
        }
    }

    private void answer(int psn, int syndrome, int msn) {
        node.receive(
                1,
                Crafted.packet(IbOpcode.RD_ACKNOWLEDGE, psn, 0, p -> {
                    p.rdeth().set(1);
                    p.aeth().set(syndrome, msn);
                }),
                nowNs);
    }

    private void notReady(int psn) {
        answer(psn, Syndrome.rnrNak(20), 0); // 10.24 ms
    }

    private void arrives(Sign sign) {
        switch (sign) {
            case OLD_ACK -> answer(FIRST - 1, ACK, 0);
            case SEQUENCE_NAK -> answer(FIRST, Syndrome.NAK_PSN_SEQUENCE, 0);
            case OLD_RESPONSE ->
                node.receive(
                        1,
                        Crafted.packet(IbOpcode.RD_READ_RESPONSE_ONLY, FIRST - 1, 8, p -> {
                            p.rdeth().set(1);
                            p.aeth().set(ACK, 0);
                        }),
                        nowNs);
        }
    }

    private boolean failed() {
        return node.context(1).failed();
    }

    /** The context waits with a Read, because its request cannot be repeated with another PSN. */
    @Test
    void read_notReady_pausesBetweenAnswers_waitsWithoutLimit() {
        post(WorkOpcode.READ, 1, 1);
        sent();
        for (int i = 0; i < 200; i++) {
            passes(40 * MS);
            notReady(FIRST);
            passes(60 * MS);
            notReady(FIRST);
            assertFalse(failed(), "round " + i);
        }
        assertEquals(List.of(), pair.completions());
    }

    @Test
    void read_notReadyLimited_pausesAreNotCounted() {
        limitNotReady(2);
        post(WorkOpcode.READ, 1, 1);
        sent();
        for (int i = 0; i < 2; i++) {
            passes(60 * MS);
            notReady(FIRST);
            passes(11 * MS);
        }
        assertEquals(List.of(), pair.completions());
        notReady(FIRST);
        assertEquals(List.of("1 READ RECEIVER_NOT_READY 4"), pair.completions());
        assertFalse(failed(), "the context serves other queue pairs");
    }

    /** A Send is refused, skipped by RESYNC, and sent again later: the pauses of the peer before each answer are not counted. */
    @Test
    void send_notReady_pausesBeforeEachAnswer_waitsWithoutLimit() {
        post(WorkOpcode.SEND, 1, 1);
        int psn = FIRST;
        for (int i = 0; i < 200; i++) {
            assertEquals(1, sent(), "the message, round " + i);
            passes(60 * MS);
            notReady(psn++);
            assertEquals(1, sent(), "RESYNC");
            passes(60 * MS);
            answer(psn++, ACK, 0);
            assertFalse(failed(), "round " + i);
            tick(11 * MS);
        }
        sent();
        answer(psn, ACK, 1);
        assertEquals(List.of("1 SEND SUCCESS 4"), pair.completions());
    }

    @Test
    void send_notReadyLimited_pausesAreNotCounted() {
        limitNotReady(2);
        post(WorkOpcode.SEND, 1, 1);
        int psn = FIRST;
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of(), pair.completions());
            assertEquals(1, sent(), "the message, round " + i);
            passes(60 * MS);
            notReady(psn++);
            sent();
            answer(psn++, ACK, 0);
            tick(11 * MS);
        }
        assertEquals(List.of("1 SEND RECEIVER_NOT_READY 4"), pair.completions());
        assertFalse(failed());
    }

    /** The peer answers once after each time-out: a slow peer, whose requests or answers are lost. */
    @ParameterizedTest
    @EnumSource
    void everyTimeoutFollowedByASign_moreThanTheRetries_livesAndEndsByRepetitions(Sign sign) {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        int timeouts = 0;
        while (!failed()) {
            tick(MS);
            timeouts++;
            sent();
            arrives(sign);
            sent();
            assertTrue(timeouts <= MOST_REPETITIONS + 1, "the context ends some time");
        }
        assertEquals(MOST_REPETITIONS + 1, timeouts);
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4"), pair.completions());
    }

    /** Answers that prove nothing new never postpone a repetition. */
    @ParameterizedTest
    @EnumSource
    void streamOfSigns_repetitionsInTime_endsByRepetitions(Sign sign) {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        long step = MS / 8;
        for (long ns = 0; ns < (2L + MOST_REPETITIONS) * MS; ns += step) {
            tick(step);
            sent();
            arrives(sign);
        }
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4"), pair.completions());
    }

    @Test
    void silence_afterManySigns_declaredLostInTime() {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        for (int i = 0; i < 5; i++) {
            tick(MS);
            sent();
            arrives(Sign.OLD_ACK);
        }
        passes(DECLARED_LOST_NS - MS);
        assertFalse(failed());
        passes(2 * MS);
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4"), pair.completions());
    }

    /** Answers of which no correct peer sends any: a blind sender must not keep a dead peer alive. */
    @Test
    void implausibleAnswers_declaredLostInTime() {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        for (long ns = 0; ns < DECLARED_LOST_NS + MS; ns += MS) {
            tick(MS);
            sent();
            answer(Psn.plus(FIRST, -PsnGuard.PLAUSIBLE - 1), ACK, 0);
            answer(FIRST + 1, ACK, 0);
        }
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4"), pair.completions());
    }

    /** The peer is silent only because this side cannot repeat its request. */
    @Test
    void timeouts_nothingSentAgain_doNotCount() {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        for (int i = 0; i < 50; i++) {
            tick(40 * MS);
        }
        assertFalse(failed());
        assertEquals(1, sent());
    }

    /** The counters of the abandoned message do not burden RESYNC. */
    @Test
    void resync_silence_declaredLostInTime() {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        passes(4 * MS);
        notReady(FIRST);
        sent();
        passes(DECLARED_LOST_NS - MS);
        assertFalse(failed());
        passes(2 * MS);
        assertTrue(failed());
        assertEquals(List.of("1 SEND RETRY_EXCEEDED 4"), pair.completions());
    }

    /** The peer repeats its refusal instead of answering RESYNC, because RESYNC is lost: it lives. */
    @Test
    void resync_refusalAgainAfterEachTimeout_livesAndEndsByRepetitions() {
        post(WorkOpcode.SEND, 1, 1);
        sent();
        notReady(FIRST);
        sent();
        int timeouts = 0;
        while (!failed()) {
            tick(MS);
            timeouts++;
            sent();
            notReady(FIRST);
            assertTrue(timeouts <= MOST_REPETITIONS + 1, "the context ends some time");
        }
        assertEquals(MOST_REPETITIONS + 1, timeouts);
    }

    @Test
    void peerLost_workForOthers_continues() {
        post(WorkOpcode.SEND, 1, 1);
        post(WorkOpcode.SEND, 2, 2);
        sent();
        passes(DECLARED_LOST_NS + MS);
        assertTrue(failed());
        node.transmit(nowNs);
        assertEquals(1, node.wire(2).size());
        assertFalse(node.context(2).failed());
    }
}
