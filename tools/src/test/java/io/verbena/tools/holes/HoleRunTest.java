package io.verbena.tools.holes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What placement after holes must reach over the TCP of the library, on a path that reorders and loses packets; each run verifies its bytes. */
class HoleRunTest {

    private static final int KIB = 1024;
    private static final int SEEDS = 3;

    private static HoleResult run(HolePath path) {
        return new HoleRun(path, 64, 64 * KIB).run();
    }

    @Tag(Seeds.TAG)
    @Test
    void fivePercentLate_onePercentLost_almostAllIsPlacedOnArrival_withinTheBounds() {
        Seeds.each(SEEDS, seed -> {
            HoleResult r = run(HolePath.of(seed));
            String figures = "seed " + seed + ": " + r.takenAtOnce() + ", " + r.copiesPerByte() + ", "
                    + r.figures().mostTableBytes() + ", " + r.figures().mostRecords();
            assertTrue(r.waitingCopiesPerByte() > 0.1, figures);
            assertTrue(r.takenAtOnce() >= 0.99, figures);
            assertTrue(r.copiesPerByte() <= 0.02, figures);
            assertTrue(r.figures().mostTableBytes() <= 64 * KIB, figures);
            assertTrue(r.figures().mostScrapBytes() <= 64 * KIB, figures);
            assertTrue(r.figures().holes() > 50, figures);
        });
    }

    @Test
    void onePercentLate_nothingLost_hundredsOfKibibytesWaitElsewhere_andNothingIsCopiedHere() {
        HoleResult r = new HoleRun(HolePath.of(7).withLate(1, 500_000).withLost(0), 200, 64 * KIB).run();
        assertTrue(r.inOrder().mostWaitingBytes() > 200 * KIB, r.inOrder().mostWaitingBytes() + " bytes");
        assertTrue(r.takenAtOnce() >= 0.99, r.takenAtOnce() + " taken");
        assertTrue(r.copiesPerByte() <= 0.02, r.copiesPerByte() + " copied");
        assertTrue(r.figures().mostTableBytes() <= 64 * KIB, r.figures().mostTableBytes() + " bytes");
    }

    @Test
    void senderWithoutMarkers_guesses_placeMostOnArrival() {
        // A Send or a Read Request is not guessed, and a Write of 64 KiB has 46 segments.
        HoleResult lengths = run(HolePath.of(4).withStarts(FrameStarts.LENGTHS));
        HoleResult guesses = run(HolePath.of(4).withStarts(FrameStarts.GUESSES));
        assertTrue(lengths.takenAtOnce() < 0.5, lengths.takenAtOnce() + " by lengths");
        assertTrue(guesses.takenAtOnce() > 0.85, guesses.takenAtOnce() + " with guesses");
        assertTrue(
                guesses.figures().mostTableBytes() <= 64 * KIB,
                guesses.figures().mostTableBytes() + " bytes");
        assertEquals(0, guesses.figures().withdrawnBytes());
    }

    @Test
    void sendsAfterAHole_completeInTheCallThatClosesIt() {
        // HoleRun checks it for each hole; here it must have happened.
        HoleResult r = new HoleRun(HolePath.of(7).withLate(1, 500_000).withLost(0), 400, 4 * KIB).run();
        assertEquals(400, r.traffic().sends());
        assertTrue(r.closed().stream().anyMatch(hole -> hole.sends() > 1 && hole.requests() > 1));
    }

    @Test
    void noFaults_noHoles() {
        HoleResult r = run(HolePath.of(1).withLate(0, 1).withLost(0));
        assertEquals(0, r.figures().holes());
        assertEquals(0, r.inOrder().afterHolesBytes());
        assertEquals(0, r.figures().mostTableBytes());
        assertEquals(1, r.takenAtOnce());
        // Only data that arrives before the connection has an owner, with the end of the handshake.
        assertTrue(
                r.kept().copiedBytes() <= HolePath.of(1).segmentBytes(),
                r.kept().copiedBytes() + " bytes copied");
    }

    @Test
    void sameSeed_twice_isTheSameRun() {
        assertEquals(run(HolePath.of(5)).closed(), run(HolePath.of(5)).closed());
    }

    @Test
    void smallWindow_smallMessages_arriveAll() {
        HoleResult r = new HoleRun(HolePath.of(3).withWindow(64 * KIB), 100, 100).run();
        assertEquals(100, r.traffic().sends());
    }
}
