package io.verbena.ib.paths;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.verbs.ConnectionPath;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripts of the sender: what is lost, and what becomes of a path. Times are in microseconds. */
class SprayTest {

    private static final long US = 1_000;
    private static final int FIRST = 0xff_fffe;
    private static final long INITIAL_NS = 67_000 * US;

    private final List<String> events = new ArrayList<>();
    private final PathEvents listener = new PathEvents() {
        @Override
        public void onRetired(int path) {
            events.add("retired " + path);
        }

        @Override
        public void onRevived(int path) {
            events.add("revived " + path);
        }
    };
    private Spray spray = spray(2);
    private int nextPsn = FIRST;

    private Spray spray(int paths) {
        nextPsn = FIRST;
        return new Spray(paths, 1, 64, FIRST, INITIAL_NS, listener);
    }

    /** Sends packets on the paths in turn. */
    private void send(int packets, long atUs) {
        for (int i = 0; i < packets; i++) {
            spray.choose();
            spray.sent(nextPsn, 1, false, 1_000, atUs * US);
            nextPsn = nextPsn + 1 & 0xff_ffff;
        }
    }

    /** The packet sent as number {@code i}, from 0, was received. */
    private void received(int i, long atUs) {
        spray.received(FIRST + i & 0xff_ffff, atUs * US);
        spray.settle(atUs * US);
    }

    private List<Integer> lost() {
        List<Integer> lost = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            if (spray.isLost(FIRST + i & 0xff_ffff)) {
                lost.add(i);
            }
        }
        return lost;
    }

    /** A round trip of 100 us is known on each path. */
    private void measured(int paths) {
        send(paths, 0);
        for (int i = 0; i < paths; i++) {
            received(i, 100);
        }
        spray.complete(nextPsn, 100 * US);
    }

    private int answerQuestion(long atUs) {
        int path = spray.probes().due();
        long nonce = spray.probes().nonce(path);
        spray.probes().asked(path, atUs * US);
        spray.probes().answered(path, nonce, atUs * US);
        spray.settle(atUs * US);
        return path;
    }

    @Test
    void pathsTakeTurns() {
        StringBuilder chosen = new StringBuilder();
        spray = spray(3);
        for (int i = 0; i < 6; i++) {
            chosen.append(spray.choose());
            spray.sent(FIRST + i & 0xff_ffff, 1, false, 1, 0);
        }
        assertEquals("012012", chosen.toString());
    }

    @Test
    void laterPacketOfAnotherPath_saysNothing() {
        send(8, 0);
        for (int i = 0; i < 8; i += 2) {
            received(i, 10);
        }
        spray.settle(5_000 * US);
        assertEquals(List.of(), lost(), "path 1 is 500 times slower");
        for (int i = 1; i < 8; i += 2) {
            received(i, 5_000);
        }
        assertEquals(List.of(), lost());
        assertEquals(List.of(), events);
    }

    @Test
    void laterPacketOfTheSamePath_andARoundTrip_makeAPacketLost() {
        measured(2);
        send(4, 1_000);
        received(4, 1_090);
        received(2 + 3, 1_090);
        assertEquals(List.of(), lost(), "a tolerance for packets that overtake each other");
        assertEquals(1_148_750, spray.deadlineNs(), "98.75 us, and 50 us");
        assertTrue(spray.settle(1_150 * US));
        assertEquals(List.of(2, 3), lost());
        assertEquals(FIRST + 2 & 0xff_ffff, spray.firstLost());
    }

    @Test
    void silentPath_oldestPacketTakesAnother_thenThePathIsRetired() {
        measured(2);
        send(4, 1_000);
        received(3, 1_100);
        received(5, 1_100);
        assertEquals(List.of(), lost());
        long silentNs = spray.deadlineNs();
        spray.settle(silentNs);
        assertEquals(List.of(2), lost());
        assertEquals(0, spray.probes().due(), "the suspected path is asked");
        assertEquals(1, spray.choose());
        spray.probes().asked(0, silentNs);
        spray.received(FIRST + 5 & 0xff_ffff, silentNs + 1);
        send(1, silentNs / US + 1);
        received(6, silentNs / US + 2);
        spray.settle(silentNs + 2_000 * US);
        assertEquals(List.of("retired 0"), events);
        assertEquals(List.of(2, 4), lost(), "everything that was under way on it");
        assertEquals(1, spray.choose());
    }

    @Test
    void retiredPath_threeAnswersInARowReviveIt() {
        silentPath_oldestPacketTakesAnother_thenThePathIsRetired();
        long atUs = 100_000;
        send(1, atUs);
        spray.settle(atUs * US);
        assertEquals(0, answerQuestion(atUs));
        assertEquals(0, answerQuestion(atUs + 1));
        assertEquals(List.of("retired 0"), events);
        assertEquals(0, answerQuestion(atUs + 2));
        assertEquals(List.of("retired 0", "revived 0"), events);
    }

    @Test
    void fullWindow_waits_exceptForWhatATimeoutSendsAgain() {
        spray = spray(2).withCongestionControl();
        assertTrue(spray.admits(64));
        send(64, 0);
        assertFalse(spray.admits(1));
        spray.onTimeout();
        assertTrue(spray.admits(1), "the last packet is sent again");
        spray.choose();
        spray.sent(FIRST + 63 & 0xff_ffff, 1, false, 1_000, 70_000 * US);
        assertFalse(spray.admits(1));
        spray.complete(nextPsn, 80_000 * US);
        spray.settle(80_000 * US);
        assertTrue(spray.admits(32));
    }

    @Test
    void trimmedPacket_isLostAtOnce_andItsPathIsNotSuspected() {
        spray = spray(2).withCongestionControl();
        measured(2);
        send(60, 1_000);
        for (int i = 2; i < 62; i += 2) {
            spray.onTrim(FIRST + i & 0xff_ffff, 1_001 * US);
        }
        assertTrue(spray.settle(1_001 * US));
        assertEquals(30, lost().size());
        assertEquals(List.of("ACTIVE", "ACTIVE"), states());
        assertEquals(
                30, spray.figures().stream().mapToLong(ConnectionPath::marks).sum());
        assertEquals(
                0, spray.figures().stream().mapToLong(ConnectionPath::losses).sum());
    }

    private List<String> states() {
        return spray.figures().stream().map(it -> it.state().name()).toList();
    }

    @Test
    void pathsThatCameBackWithoutAMark_areUsedAgain() {
        spray = spray(4).withCongestionControl();
        send(4, 0);
        spray.onMark(1);
        for (int i = 3; i >= 0; i--) {
            spray.received(FIRST + i & 0xff_ffff, 100 * US);
        }
        spray.settle(100 * US);
        StringBuilder chosen = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            chosen.append(spray.choose());
            spray.sent(nextPsn++ & 0xff_ffff, 1, false, 1, 100 * US);
        }
        assertEquals("0320", chosen.substring(0, 4), "the next in turn, then those that came back");
    }

    @Test
    void lastPath_isNeverRetired() {
        spray = spray(1);
        measured(1);
        send(2, 1_000);
        for (int i = 0; i < 100; i++) {
            long deadlineNs = spray.deadlineNs();
            if (deadlineNs == Times.NEVER) {
                break;
            }
            spray.settle(deadlineNs);
            if (spray.probes().due() >= 0) {
                spray.probes().asked(0, deadlineNs);
            }
        }
        assertEquals(List.of(), events);
        assertEquals(0, spray.choose());
    }

    @Test
    void answersWithoutAQuestion_changeNothing() {
        silentPath_oldestPacketTakesAnother_thenThePathIsRetired();
        for (int path : new int[] {0, 1, 2, 63, 65_535}) {
            assertFalse(spray.probes().answered(path, 0, 200_000 * US));
            assertFalse(spray.probes().answered(path, -1, 200_000 * US));
        }
        assertEquals(List.of("retired 0"), events);
    }

    @Test
    void noLaterPacket_thePathAndAnotherOneAreAsked() {
        measured(2);
        send(1, 1_000);
        received(0, 1_000);
        long dueNs = spray.deadlineNs();
        assertNotEquals(Times.NEVER, spray.settle(1_001 * US) ? 0 : dueNs);
        spray.settle(1_500 * US);
        assertEquals(List.of(), lost(), "nothing is sent again before an answer");
        assertEquals(0, answerQuestion(1_600));
        assertEquals(List.of(2), lost(), "what was sent before the question has not arrived");
        assertEquals(1, answerQuestion(1_600));
    }

    @Test
    void readThatIsNotExecuted_isLostAsAWhole() {
        measured(2);
        spray.choose();
        spray.sent(nextPsn, 5, true, 60, 1_000 * US);
        int read = nextPsn;
        nextPsn = nextPsn + 5 & 0xff_ffff;
        spray.onTimeout();
        assertEquals(List.of(2, 3, 4, 5, 6), lost());
        spray.sent(read, 5, true, 60, 2_000 * US);
        assertEquals(List.of(), lost());
        spray.responded(read, 2_100 * US);
        spray.complete(read + 1 & 0xff_ffff, 2_100 * US);
        spray.onTimeout();
        assertEquals(List.of(6), lost(), "a part of an executed one");
    }

    /**
     * The peer keeps a Read until a packet of a slow path has arrived, and the fast path reports that both were
     * executed.
     */
    @Test
    void readThatWaitedAtThePeer_isNotLost_andNoRoundTrip() {
        spray.choose();
        spray.sent(FIRST, 1, false, 10, 0);
        spray.choose();
        spray.sent(FIRST + 1 & 0xff_ffff, 2, true, 10, 0);
        spray.choose();
        spray.sent(FIRST + 3 & 0xff_ffff, 1, false, 10, 0);
        spray.choose();
        spray.sent(FIRST + 4 & 0xff_ffff, 1, false, 10, 0);
        received(4, 100);
        spray.executed(FIRST + 5 & 0xff_ffff, 900 * US);
        spray.settle(900 * US);
        assertEquals(List.of(), lost(), "the answer has left the peer just now");
        spray.responded(FIRST + 1 & 0xff_ffff, 901 * US);
        spray.responded(FIRST + 2 & 0xff_ffff, 901 * US);
        spray.settle(901 * US);
        assertEquals(List.of(), lost());
        assertEquals(100 * US, spray.figures().get(1).roundTripNs());
    }

    @Test
    void lateAnswer_doublesTheTolerance() {
        measured(2);
        send(4, 1_000);
        received(4, 1_090);
        spray.settle(1_150 * US);
        assertEquals(List.of(2), lost());
        received(2, 1_151);
        assertEquals(List.of(), lost());
        spray.onDuplicate();
        spray.onDuplicate();
        send(2, 2_000);
        received(3, 2_000);
        received(5, 2_000);
        send(2, 2_000);
        received(8, 2_090);
        spray.settle(2_150 * US);
        assertEquals(List.of(), lost(), "a packet may be late by a round trip now");
    }
}
