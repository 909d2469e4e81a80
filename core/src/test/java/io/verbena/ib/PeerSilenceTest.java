package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.request.RetryCounters;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Syndrome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A requester declares a silent peer lost, and not one that answers; a packet that never arrives ends as well. */
class PeerSilenceTest {

    private static final int E = 100;
    private static final int ACK = 31;
    private static final long MS = 1_000_000;
    private static final int RETRIES = 3;

    /** Each time-out is noticed at the next whole millisecond. */
    private static final long SLACK_NS = 5 * MS;

    /** An answer that proves that the peer lives, without progress. */
    private enum Sign {
        /** The acknowledgement of an older message, again. */
        OLD_ACK,
        /** The peer reports the oldest packet as missing. */
        SEQUENCE_NAK,
        /** A response that arrived already. */
        OLD_RESPONSE
    }

    private RcPair pair = RcPair.plain();
    private RcPair.End a = pair.a;
    private Region memory = a.region(64 * 1024);

    private void begin(int notReadyRetries, RcOption... options) {
        pair = new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, E, 900)
                        .retries(RETRIES, notReadyRetries)
                        .options(options)
                        .reliableConnection(),
                RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, E));
        a = pair.a;
        memory = a.region(64 * 1024);
    }

    private int sent() {
        a.transmit(pair.nowNs);
        int packets = a.wire.size();
        a.wire.clear();
        return packets;
    }

    private void tick(long durationNs) {
        pair.nowNs += durationNs;
        a.engine.onDeadline(pair.nowNs);
    }

    private void passes(long durationNs) {
        for (long ns = 0; ns < durationNs; ns += MS) {
            tick(MS);
            sent();
        }
    }

    private void arrives(Sign sign) {
        a.receive(
                switch (sign) {
                    case OLD_ACK -> Crafted.acknowledge(E - 1, ACK, 0);
                    case SEQUENCE_NAK -> Crafted.acknowledge(E, Syndrome.NAK_PSN_SEQUENCE, 0);
                    case OLD_RESPONSE -> Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, E - 1, 8);
                },
                pair.nowNs);
    }

    /** A process that is stopped for longer than all retries, and continues. */
    @ParameterizedTest
    @EnumSource
    void patience_peerAnswersAtLast_livesAndGetsTheSamePatienceAgain(Sign sign) {
        pair = new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, E, 900)
                        .retries(RETRIES, 0)
                        .patienceNs(60_000 * MS)
                        .reliableConnection(),
                RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, E));
        a = pair.a;
        memory = a.region(64 * 1024);
        a.send(1, memory, 4);
        sent();
        for (int i = 0; i < 3; i++) {
            passes(50_000 * MS);
            assertTrue(a.engine.failure().isEmpty(), "silence " + i);
            a.engine.portGone();
            arrives(sign);
            sent();
        }
        passes(50_000 * MS);
        assertTrue(a.engine.failure().isEmpty());
        passes(20_000 * MS);
        assertEquals("1 SEND RETRY_EXCEEDED 4", failed());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void notReady_pausesBetweenAnswers_waitsWithoutLimit(boolean selective) {
        begin(RcSettings.UNLIMITED, selective ? new RcOption[] {RcOption.SELECTIVE_REPEAT} : new RcOption[0]);
        a.send(1, memory, 4);
        sent();
        for (int i = 0; i < 200; i++) {
            passes(150 * MS);
            a.receive(Crafted.acknowledge(E, Syndrome.rnrNak(20), 0), pair.nowNs);
            passes(350 * MS);
            a.receive(Crafted.acknowledge(E, Syndrome.rnrNak(20), 0), pair.nowNs);
            assertTrue(a.engine.failure().isEmpty(), "round " + i);
        }
        a.receive(Crafted.acknowledge(E, ACK, 1), pair.nowNs);
        assertEquals(List.of("1 SEND SUCCESS 4"), a.completions());
    }

    @Test
    void notReady_limited_pausesAreNotCounted() {
        begin(2);
        a.send(1, memory, 4);
        sent();
        for (int i = 0; i < 2; i++) {
            passes(300 * MS);
            a.receive(Crafted.acknowledge(E, Syndrome.rnrNak(20), 0), pair.nowNs);
            passes(11 * MS);
        }
        assertTrue(a.engine.failure().isEmpty());
        a.receive(Crafted.acknowledge(E, Syndrome.rnrNak(20), 0), pair.nowNs);
        assertEquals("1 SEND RECEIVER_NOT_READY 4", failed());
    }

    private String failed() {
        assertTrue(a.engine.failure().isPresent());
        assertTrue(a.engine.flush());
        return a.completions().getFirst();
    }

    /** The peer answers once after each time-out: a slow peer, whose requests or answers are lost. */
    @ParameterizedTest
    @EnumSource
    void everyTimeoutFollowedByASign_moreThanTheRetries_livesAndEndsByRepetitions(Sign sign) {
        begin(RcSettings.UNLIMITED);
        a.send(1, memory, 4);
        sent();
        int most = RetryCounters.REPETITIONS_PER_RETRY * RETRIES;
        int timeouts = 0;
        while (a.engine.failure().isEmpty()) {
            tick(RcPair.TIMEOUT_NS);
            timeouts++;
            sent();
            arrives(sign);
            assertTrue(timeouts <= most + 1, "the connection ends some time");
        }
        assertEquals(most + 1, timeouts);
        assertEquals("1 SEND RETRY_EXCEEDED 4", failed());
    }

    /** Answers that prove nothing new never postpone a repetition. */
    @ParameterizedTest
    @EnumSource
    void streamOfSigns_repetitionsInTime_endsByRepetitions(Sign sign) {
        begin(RcSettings.UNLIMITED);
        a.send(1, memory, 4);
        sent();
        long most = (2L + RetryCounters.REPETITIONS_PER_RETRY * RETRIES) * RcPair.TIMEOUT_NS;
        for (long ns = 0; ns < most; ns += MS) {
            tick(MS);
            sent();
            arrives(sign);
        }
        assertEquals("1 SEND RETRY_EXCEEDED 4", failed());
    }

    @Test
    void silence_afterManySigns_declaredLostInTime() {
        begin(RcSettings.UNLIMITED);
        a.send(1, memory, 4);
        sent();
        for (int i = 0; i < 5; i++) {
            tick(RcPair.TIMEOUT_NS);
            sent();
            arrives(Sign.OLD_ACK);
        }
        long most = RcPair.TIMEOUT_NS * ((1 << RETRIES + 1) - 1);
        passes(most - MS);
        assertTrue(a.engine.failure().isEmpty());
        passes(SLACK_NS);
        assertEquals("1 SEND RETRY_EXCEEDED 4", failed());
    }

    /** Answers of which no correct peer sends any: a blind sender must not keep a dead peer alive. */
    @Test
    void implausibleAnswers_declaredLostInTime() {
        begin(RcSettings.UNLIMITED);
        a.send(1, memory, 4);
        sent();
        long most = RcPair.TIMEOUT_NS * ((1 << RETRIES + 1) - 1);
        for (long ns = 0; ns < most + SLACK_NS; ns += MS) {
            tick(MS);
            sent();
            a.receive(Crafted.acknowledge(Psn.plus(E, -PsnGuard.PLAUSIBLE - 1), ACK, 0), pair.nowNs);
            a.receive(Crafted.acknowledge(E + 1, ACK, 0), pair.nowNs);
        }
        assertEquals("1 SEND RETRY_EXCEEDED 4", failed());
    }

    /** The peer is silent only because this side cannot repeat its request. */
    @Test
    void timeouts_nothingSentAgain_doNotCount() {
        begin(RcSettings.UNLIMITED);
        a.post(WorkOpcode.WRITE, WrFlags.SIGNALLED, w -> w.wrId(1).addElement(memory.localKey(), 0, 4));
        sent();
        for (int i = 0; i < 50; i++) {
            tick(2 * RcPair.TIMEOUT_NS);
        }
        assertTrue(a.engine.failure().isEmpty());
        assertEquals(1, sent());
        assertFalse(a.engine.hasTransmitWork(pair.nowNs));
    }
}
