package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.RdmapOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A peer that has disappeared is detected within the bound; one that is alive is not affected. */
class KeepAliveTest {

    private static final long BOUND_NS = 8_000;

    private static Victim started(int outboundReads) {
        Victim v = new Victim(Framing.PLAIN, true, 4, outboundReads, Optional.empty());
        // An FPDU of the peer has arrived, so that this side sends no nudge.
        v.peer.add(HandMade.write(true, 0, 0));
        v.give();
        v.end.stream.keepAlive(BOUND_NS, 0);
        return v;
    }

    /** Lets time pass up to {@code untilNs}, deadline by deadline; what was sent. */
    private static List<String> pass(Victim v, long untilNs) {
        List<String> sent = new ArrayList<>();
        while (v.end.stream.nextDeadlineNs() <= untilNs && v.end.stream.ending().isEmpty()) {
            v.nowNs = v.end.stream.nextDeadlineNs();
            v.end.stream.onDeadline(v.nowNs);
            sent.addAll(v.sent());
        }
        v.nowNs = untilNs;
        return sent;
    }

    @Test
    void silence_probeAfterHalfTheBound_lostAfterTheWhole() {
        Victim v = started(4);
        v.postRead(7, 0, 8);
        v.sent();
        assertEquals(List.of(), pass(v, BOUND_NS / 2 - 1));
        List<String> probes = pass(v, BOUND_NS / 2);
        assertEquals(1, probes.size());
        assertTrue(probes.getFirst().startsWith("ReadRequest"), probes.getFirst());
        assertEquals(List.of(), pass(v, BOUND_NS - 1));
        assertTrue(v.end.stream.ending().isEmpty());
        pass(v, BOUND_NS);
        assertEquals(Ending.Kind.LOST, v.ending().kind());
        assertEquals(AsyncEventType.CONNECTION_LOST, v.ending().event().orElseThrow());
        assertEquals(List.of("7 READ CONNECTION_LOST 8"), v.flushed());
        assertTrue(v.end.stream.finished());
    }

    @Test
    void silenceThatIsWatchedFor_probeInItsMiddle_suspectedUntilThePeerIsHeard() {
        Victim v = started(4);
        v.end.stream.suspectAfter(BOUND_NS / 4, 0);
        v.postRead(7, 0, 8);
        v.sent();
        assertEquals(List.of(), pass(v, BOUND_NS / 8 - 1));
        assertEquals(1, pass(v, BOUND_NS / 8).size());
        assertFalse(v.end.stream.suspected());
        pass(v, BOUND_NS / 4);
        assertTrue(v.end.stream.suspected());
        assertTrue(v.end.stream.ending().isEmpty());
        v.peer.add(HandMade.write(true, 0, 0));
        v.give();
        assertFalse(v.end.stream.suspected());
    }

    @Test
    void watchedFor_idlePeerHasAnsweredOnce_onlyTheLongSilenceCounts() {
        Victim v = started(4);
        v.end.stream.suspectAfter(BOUND_NS / 4, 0);
        v.nowNs = BOUND_NS / 16;
        v.end.stream.onDeadline(v.nowNs);
        v.nowNs = BOUND_NS / 8;
        v.end.stream.onDeadline(v.nowNs);
        Sink sink = Sink.of(v.sentUlpdus().getFirst());
        v.peer.add(HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, sink.stag(), sink.to()));
        v.give();
        assertEquals(List.of(), pass(v, BOUND_NS / 2));
        assertFalse(v.end.stream.suspected());
        v.postRead(7, 0, 8);
        v.sent();
        assertEquals(v.nowNs + BOUND_NS / 16, v.end.stream.nextDeadlineNs(), "from the Read on");
    }

    @Test
    void shortMessages_silence_theSameTimes() {
        Victim v = started(4);
        v.end.stream.shortMessages(0);
        assertEquals(BOUND_NS / 16, v.end.stream.nextDeadlineNs());
        assertEquals(List.of(), pass(v, BOUND_NS / 2 - 1));
        assertEquals(1, pass(v, BOUND_NS / 2).size());
        assertEquals(List.of(), pass(v, BOUND_NS - 1));
        assertTrue(v.end.stream.ending().isEmpty());
        pass(v, BOUND_NS);
        assertEquals(Ending.Kind.LOST, v.ending().kind());
    }

    @Test
    void probeAnswered_nothingCompletes_andTheNextFollows() {
        Victim v = started(2);
        for (int round = 1; round <= 5; round++) {
            v.nowNs = v.end.stream.nextDeadlineNs();
            v.end.stream.onDeadline(v.nowNs);
            Sink sink = Sink.of(v.sentUlpdus().getFirst());
            v.nowNs += 10;
            v.peer.add(HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, sink.stag(), sink.to()));
            v.give();
            assertTrue(v.end.stream.ending().isEmpty());
            pass(v, v.nowNs + BOUND_NS / 2 - 1);
        }
        assertEquals(List.of(), v.end.completions());
    }

    @Test
    void peerTalks_noProbe() {
        Victim v = started(4);
        for (long t = 0; t < 10 * BOUND_NS; t += BOUND_NS / 4) {
            assertEquals(List.of(), pass(v, t));
            v.peer.add(HandMade.write(true, 0, 0));
            v.give();
        }
    }

    @Test
    void depthOfOne_readOutstanding_isTheProbeItself() {
        Victim v = started(1);
        Sink sink = v.read(1, 0, 8);
        assertEquals(List.of(), pass(v, BOUND_NS / 2 + 1));
        v.peer.add(HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, sink.stag(), sink.to(), new byte[8]));
        v.give();
        assertEquals(List.of("1 READ SUCCESS 8"), v.end.completions());
        assertEquals(1, pass(v, v.nowNs + BOUND_NS / 2 + 1).size());
    }

    @Test
    void depthOfOne_probeOut_aReadWaitsForItsAnswer() {
        Victim v = started(1);
        v.nowNs = v.end.stream.nextDeadlineNs();
        v.end.stream.onDeadline(v.nowNs);
        Sink probe = Sink.of(v.sentUlpdus().getFirst());
        v.postRead(1, 0, 8);
        // RFC 5040 section 6.1 [4]: the peer agreed to one Read, and the probe is one.
        assertEquals(List.of(), v.sent());
        v.peer.add(HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, probe.stag(), probe.to()));
        v.give();
        assertEquals(1, v.sent().size());
    }

    @Test
    void depthOfTwo_oneIsReserved_probeGoesBesideARead() {
        Victim v = started(2);
        v.postRead(1, 0, 8);
        v.postRead(2, 0, 8);
        assertEquals(1, v.sent().size());
        assertEquals(1, pass(v, BOUND_NS / 2).size());
    }

    @Test
    void depthOfZero_noProbeAndNoJudgement() {
        Victim v = started(0);
        assertEquals(Long.MAX_VALUE, v.end.stream.nextDeadlineNs());
    }

    @Test
    void weSlept_oneStepPasses_peerIsHeard() {
        Victim v = started(4);
        pass(v, BOUND_NS / 2);
        // A laptop was closed for an hour; the peer's answer is in the socket.
        v.nowNs = 3_600_000_000L;
        v.end.stream.onDeadline(v.nowNs);
        assertTrue(v.end.stream.ending().isEmpty());
        v.peer.add(HandMade.write(true, 0, 0));
        v.give();
        pass(v, v.nowNs + BOUND_NS / 4);
        assertTrue(v.end.stream.ending().isEmpty());
    }

    @Test
    void probeCrossesAClose_closeIsInGoodOrder() {
        Victim v = started(4);
        v.end.stream.disconnect(0);
        assertTrue(v.sent().isEmpty() && v.end.finSent);
        // The peer probed before it saw our FIN, and closes when it has: nothing is owed to it.
        v.peer.add(HandMade.readRequest(1, 5, 0, 0, 1, 0));
        v.give();
        v.end.stream.onEndOfStream(1);
        assertEquals(Ending.Kind.GRACEFUL, v.ending().kind());
        assertFalse(v.ending().failed());
    }

    @Test
    void probeOut_peerCloses_isInGoodOrder() {
        Victim v = started(4);
        assertEquals(1, pass(v, BOUND_NS / 2).size());
        v.end.stream.onEndOfStream(v.nowNs);
        v.sent();
        assertEquals(Ending.Kind.GRACEFUL, v.ending().kind());
    }

    @Test
    void clockWraps_checkBehindTheFinIsBeforeTheProbe_deadlineIsTheCheck() {
        Victim v = started(4);
        v.nowNs = Long.MAX_VALUE - 30_000_000;
        v.end.stream.keepAlive(100_000_000, v.nowNs);
        v.end.stream.onEndOfStream(v.nowNs);
        v.postSend(1, WrFlags.SIGNALLED, 8);
        assertEquals(1, v.sent().size());
        // The check is due after 25 ms, before the clock wraps; the probe after 50 ms, after it has wrapped.
        assertEquals(25_000_000, v.end.stream.nextDeadlineNs() - v.nowNs);
        v.nowNs += 25_000_000;
        assertEquals(1, v.sent().size());
        assertEquals(List.of("1 SEND SUCCESS 8"), v.end.completions());
    }

    @Test
    void firstFpduCutOff_withoutCrc_responderStaysSilent() {
        Victim v = Victim.responder(Framing.PLAIN);
        v.postSend(1, WrFlags.SIGNALLED, 8);
        v.postReceive(7, 0, 100);
        v.peer.add(HandMade.send(true, 1, 0, HandMade.payload(60)));
        // RFC 5044 section 7.1.2 [8]: all but the last byte of the first FPDU is not a valid FPDU.
        v.give(v.left() - 1, 5);
        assertEquals(List.of(), v.sent());
        v.give();
        assertEquals(1, v.sent().size());
        assertEquals(List.of("7 RECEIVE SUCCESS 60", "1 SEND SUCCESS 8"), v.end.completions());
    }

    @Test
    void sendLeavesBehindTheFin_streamResets_sendIsLost() {
        Victim w = started(4);
        w.end.post(WorkOpcode.DELAY, q -> q.wrId(1).operand1(10));
        w.postSend(2, WrFlags.SIGNALLED, 8);
        w.sent();
        w.end.stream.onEndOfStream(0);
        w.nowNs = 10;
        assertEquals(1, w.sent().size());
        assertEquals(List.of("1 DELAY SUCCESS 0"), w.end.completions());
        w.end.stream.onBroken("The connection broke: reset.", 20);
        assertEquals(List.of("2 SEND CONNECTION_LOST 8"), w.flushed());
        assertEquals(Ending.Kind.BROKEN, w.ending().kind());
    }
}
