package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.early.EarlyTables;
import io.verbena.iwarp.early.Guesses;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Writes after a hole whose start is a guess: right ones, wrong ones, and what a wrong one may touch. */
class GuessScriptsTest {

    private static final int SIZE = 100;
    private static final byte[] TEXT = HandMade.payload(SIZE);

    private boolean absent;
    private final StreamPair p = pair();
    private final IwarpStream receiver = p.b.stream;
    private final Region open = p.b.region(1 << 20);
    private final HandMade peer = new HandMade(Framing.CRC);
    private final List<Integer> ends = new ArrayList<>();
    private final List<String> withdrawn = new ArrayList<>();

    private StreamPair pair() {
        return StreamPair.guessing(1200, Optional.empty(), sink -> new NotNow(sink, () -> absent));
    }

    // The stream.

    private void fpdu(byte[] ulpdu) {
        peer.add(ulpdu);
        ends.add(peer.bytes().length);
    }

    private byte[] write(int at) {
        return HandMade.write(true, open.rkey(), open.baseAddress() + at, TEXT);
    }

    private int start(int fpdu) {
        return fpdu == 0 ? 0 : ends.get(fpdu - 1);
    }

    /** Bytes arrive in one segment; returns how many were taken. */
    private int give(int from, int to) {
        return give(receiver, from, to);
    }

    private int give(IwarpStream to, int from, int end) {
        Slab slab = new Slab(end - from + 1);
        MemorySegment.copy(peer.bytes(), from, slab.segment(), ValueLayout.JAVA_BYTE, 1, end - from);
        to.onSegment(from, slab, 1, 1 + end - from, 0);
        slab.segment().fill((byte) 0x5a);
        assertEquals(Optional.empty(), to.ending());
        while (to.nextWithdrawn()) {
            withdrawn.add(to.withdrawnFrom() + ":" + to.withdrawnTo());
        }
        return (int) (to.takenTo() - to.takenFrom());
    }

    private int give(int fpdu) {
        return give(start(fpdu), ends.get(fpdu));
    }

    private static byte[] fpduOf(byte[] ulpdu) {
        return new HandMade(Framing.CRC).add(ulpdu).bytes();
    }

    /** Payload that contains an FPDU, and where that begins. */
    private static byte[] around(byte[] fpdu, int before) {
        byte[] payload = new byte[before + fpdu.length + 40];
        Arrays.fill(payload, (byte) 7);
        System.arraycopy(fpdu, 0, payload, before, fpdu.length);
        return payload;
    }

    private byte[] at(Region region, int offset, int length) {
        return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private boolean placed(int at) {
        return Arrays.equals(TEXT, at(open, at, SIZE));
    }

    // Right guesses.

    @Test
    void rightGuess_isPlacedOnArrival_andDeliveredWhenTheHoleCloses() {
        for (int i = 0; i < 3; i++) {
            fpdu(write(1000 * i));
        }
        fpdu(HandMade.send(true, 1, 0, TEXT));
        p.b.postReceive(1, open, 50_000, SIZE);
        give(0);
        assertEquals(ends.get(2) - start(2), give(2));
        assertTrue(placed(2000));
        assertEquals(start(1), receiver.nextOffset(), "a guess is never acknowledged cumulatively");
        assertEquals(0, receiver.holes(), "a guess counts nothing");
        assertEquals(ends.get(2) - start(2), receiver.holeFigures().guessedBytes());
        // What is certain does not depend on guesses: a Send after one waits.
        assertEquals(0, give(3));
        give(1);
        assertEquals((long) ends.get(2), receiver.nextOffset());
        give(3);
        assertEquals(List.of("1 RECEIVE SUCCESS 100"), p.b.completions());
        assertEquals(List.of(), withdrawn);
    }

    @Test
    void rightGuess_theChainInTheSegment_isTakenWithIt() {
        for (int i = 0; i < 5; i++) {
            fpdu(write(1000 * i));
        }
        give(0);
        assertEquals(
                ends.get(3) - start(2), give(start(2), ends.get(3) + 10), "and the part of an FPDU at the end is not");
        assertTrue(placed(3000));
        assertEquals(ends.get(4) - start(2), give(start(2), ends.get(4)), "what is repeated counts as taken");
        give(1);
        assertEquals((long) ends.get(4), receiver.nextOffset());
        assertEquals(List.of(), withdrawn);
    }

    @Test
    void rightGuess_certainEarlyFpduEndsAtIt_isConfirmedBeforeTheHoleCloses() {
        for (int i = 0; i < 4; i++) {
            fpdu(write(1000 * i));
        }
        give(0);
        give(3);
        give(start(1), start(1) + 10); // its length is known, so the next one is certain
        assertEquals(ends.get(3) - start(2), give(start(2), ends.get(3)));
        assertEquals(1, receiver.holes());
        give(start(1) + 10, ends.get(1));
        assertEquals((long) ends.get(3), receiver.nextOffset());
        assertEquals(List.of(), withdrawn);
    }

    @Test
    void rightGuess_memoryIsAbsentWhenTheHoleCloses_isDeliveredLater() {
        for (int i = 0; i < 4; i++) {
            fpdu(write(1000 * i));
        }
        give(0);
        give(2);
        give(3);
        absent = true;
        give(1);
        absent = false;
        while (receiver.suspended()) {
            receiver.resume();
        }
        give((int) receiver.nextOffset(), ends.get(3));
        assertEquals((long) ends.get(3), receiver.nextOffset());
        assertTrue(placed(1000));
        assertEquals(List.of(), withdrawn);
    }

    // Wrong guesses.

    @Test
    void wrongGuess_payloadLooksLikeAnFpdu_isWithdrawnWhenTheHoleCloses() {
        byte[] forged = fpduOf(write(70_000));
        byte[] payload = around(forged, 30);
        fpdu(write(0));
        fpdu(HandMade.send(true, 1, 0, payload));
        fpdu(write(1000));
        p.b.postReceive(1, open, 50_000, payload.length);
        give(0);
        int fake = new String(peer.bytes(), java.nio.charset.StandardCharsets.ISO_8859_1)
                .indexOf(new String(forged, java.nio.charset.StandardCharsets.ISO_8859_1));
        // The author of the payload has put a correct FPDU there, and a segment of TCP begins with it.
        assertEquals(forged.length, give(fake, fake + forged.length));
        assertTrue(placed(70_000), "in memory that the peer may write");
        assertEquals(start(1), receiver.nextOffset());
        // The Send turns out to contain it.
        give(start(1), fake);
        assertEquals(List.of(fake + ":" + (fake + forged.length)), withdrawn);
        assertEquals(fake, receiver.nextOffset(), "TCP offers it again");
        assertEquals(List.of(), p.b.completions());
        give(fake, ends.get(2));
        assertEquals(List.of("1 RECEIVE SUCCESS " + payload.length), p.b.completions());
        assertArrayEquals(payload, at(open, 50_000, payload.length));
        assertTrue(placed(1000));
        assertEquals(forged.length, receiver.holeFigures().withdrawnBytes());
    }

    @Test
    void wrongGuess_theHoleIsClosedByOneSegmentOverIt_isWithdrawnAndItsBytesAreUsed() {
        byte[] forged = fpduOf(write(70_000));
        byte[] payload = around(forged, 0);
        fpdu(write(0));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() + 10_000, payload));
        give(0);
        int fake = start(1) + 2 + 14;
        assertEquals(forged.length, give(fake, fake + forged.length));
        assertEquals(ends.get(1) - start(1), give(1));
        assertEquals(List.of(fake + ":" + (fake + forged.length)), withdrawn);
        assertArrayEquals(payload, at(open, 10_000, payload.length));
        assertEquals((long) ends.get(1), receiver.nextOffset());
    }

    @Test
    void wrongGuess_certainFpduReachesIntoIt_isWithdrawnBeforeTheHoleCloses() {
        byte[] payload = around(fpduOf(write(70_000)), 0);
        fpdu(write(0));
        fpdu(write(1000));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() + 10_000, payload));
        give(0);
        int fake = start(2) + 2 + 14;
        give(fake, fake + payload.length - 40);
        give(start(1), start(1) + 10); // its length is known, so the next one is certain
        give(2);
        assertEquals(List.of(fake + ":" + (fake + payload.length - 40)), withdrawn);
        give(start(1) + 10, ends.get(1));
        assertEquals((long) ends.get(2), receiver.nextOffset());
        assertArrayEquals(payload, at(open, 10_000, payload.length));
    }

    @Test
    void guess_certainFpduLiesWithinIt_isNotAttempted() {
        // The FPDU in progress is known to end after the start of the segment.
        byte[] payload = around(fpduOf(write(70_000)), 30);
        fpdu(write(0));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() + 10_000, payload));
        give(0);
        give(start(1), start(1) + 20);
        int fake = start(1) + 2 + 14 + 30;
        give(fake, fake + payload.length - 70);
        assertFalse(placed(70_000));
        assertEquals(0, receiver.holeFigures().guessedBytes());
    }

    // What a guess never touches.

    @Test
    void guess_otherThanAWrite_isNotAttempted() {
        fpdu(write(0));
        fpdu(write(1000));
        fpdu(HandMade.send(true, 1, 0, TEXT));
        fpdu(HandMade.readRequest(1, 7, 0, 10, open.rkey(), open.baseAddress()));
        fpdu(HandMade.sendInvalidate(2, open.rkey(), TEXT));
        fpdu(HandMade.fetchAdd(1, open.rkey(), open.baseAddress(), 5));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress()));
        p.b.postReceive(1, open, 50_000, SIZE);
        p.b.postReceive(2, open, 60_000, SIZE);
        give(0);
        for (int i = 2; i < ends.size(); i++) {
            assertEquals(0, give(i), "FPDU " + i);
        }
        assertArrayEquals(new byte[SIZE], at(open, 50_000, SIZE));
        assertArrayEquals(new byte[SIZE], at(open, 60_000, SIZE));
    }

    @Test
    void guess_readResponse_doesNotTouchTheSinkOfTheRead() {
        Region sink = p.a.region(1000);
        Region source = p.b.region(1000);
        p.a.post(
                WorkOpcode.READ,
                w -> w.rkey(source.rkey()).remoteAddress(source.baseAddress()).addElement(sink.localKey(), 0, SIZE));
        p.a.transmit(0, 1 << 16);
        byte[] request = HandMade.ulpdus(Framing.CRC, p.a.wire).getLast();
        var header = HandMade.readRequestOf(request);
        Region written = p.a.region(1000);
        fpdu(HandMade.write(true, written.rkey(), written.baseAddress(), TEXT));
        fpdu(HandMade.write(true, written.rkey(), written.baseAddress(), TEXT));
        fpdu(HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, header.sinkStag(), header.sinkTo(), TEXT));
        give(p.a.stream, start(0), ends.get(0));
        assertEquals(0, give(p.a.stream, start(2), ends.get(2)));
        assertArrayEquals(new byte[SIZE], at(sink, 0, SIZE));
    }

    @Test
    void guess_memoryThatThePeerMayNotWrite_isNotAttempted() {
        Region readOnly = p.b.region(1000, Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ));
        Region others = p.b.regions.register(new OffHeapMemory().allocate(1000), 2, StreamPair.ALL);
        fpdu(write(0));
        fpdu(write(1000));
        fpdu(HandMade.write(true, readOnly.rkey(), readOnly.baseAddress(), TEXT));
        fpdu(HandMade.write(true, others.rkey(), others.baseAddress(), TEXT));
        fpdu(HandMade.write(true, open.rkey() + 1, open.baseAddress(), TEXT));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() + (1 << 20) - SIZE + 1, TEXT));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() - 1, TEXT));
        give(0);
        for (int i = 2; i < ends.size(); i++) {
            assertEquals(0, give(i), "FPDU " + i);
        }
        assertArrayEquals(new byte[1000], at(readOnly, 0, 1000));
        assertArrayEquals(new byte[1000], at(others, 0, 1000));
        assertArrayEquals(new byte[SIZE], at(open, (1 << 20) - SIZE, SIZE));
    }

    @Test
    void guess_damagedFpdu_isNotAttempted() {
        fpdu(write(0));
        fpdu(write(1000));
        peer.sum = sum -> sum ^ 1;
        fpdu(write(2000));
        give(0);
        assertEquals(0, give(2));
        assertFalse(placed(2000));
    }

    @Test
    void guess_beforeTheFirstFpdu_isNotAttempted() {
        // The first bytes of RDMA mode are missing: whether the peer follows MPA is not known yet.
        for (int i = 0; i < 3; i++) {
            fpdu(write(1000 * i));
        }
        assertEquals(0, give(2));
        give(start(0), start(0) + 12);
        assertEquals(0, receiver.holeFigures().guessedBytes());
        assertFalse(placed(2000));
        give(start(0) + 12, ends.get(0));
        assertTrue(give(2) > 0);
    }

    // When guesses are made at all.

    @Test
    void guess_withoutChecksumsOrWithMarkers_isNotAttempted() {
        StreamSettings s = new StreamSettings(false, false, false, false, 4, 4, Optional.empty(), 1200);
        assertFalse(s.withGuesses(true).guesses());
        StreamSettings m = new StreamSettings(false, true, true, true, 4, 4, Optional.empty(), 1200);
        assertFalse(m.withGuesses(true).guesses());
        StreamSettings sent = new StreamSettings(false, true, true, false, 4, 4, Optional.empty(), 1200);
        assertTrue(sent.withGuesses(true).guesses(), "markers that this side sends do not matter");
    }

    @Test
    void guess_notEnabled_isNotAttempted() {
        StreamPair plain = new StreamPair(true, false, 1200, Optional.empty(), 256, UnaryOperator.identity());
        Region theirs = plain.b.region(1 << 16);
        for (int i = 0; i < 3; i++) {
            fpdu(HandMade.write(true, theirs.rkey(), theirs.baseAddress(), TEXT));
        }
        give(plain.b.stream, 0, ends.get(0));
        assertEquals(0, give(plain.b.stream, start(2), ends.get(2)));
        assertEquals(0, plain.b.stream.holeFigures().guessedBytes());
    }

    // Bounds.

    @Test
    void guesses_moreThanTheTableHolds_areRefused() {
        int most = Guesses.MOST;
        for (int i = 0; i < 2 * most + 10; i++) {
            fpdu(write(200 * i));
        }
        give(0);
        int taken = 0;
        for (int i = 2; i < ends.size(); i += 2) {
            taken += give(i) > 0 ? 1 : 0;
        }
        assertEquals(most, taken);
        assertEquals(4, receiver.holeFigures().refusedByBound());
        assertTrue(receiver.holeFigures().mostTableBytes() <= EarlyTables.MAX_TABLE_BYTES);
        assertTrue(p.b.earlyMemory.usedBytes() <= EarlyTables.MAX_TABLE_BYTES);
        give(start(1), peer.bytes().length);
        assertEquals(peer.bytes().length, receiver.nextOffset());
    }

    @Test
    void guesses_ofOneWriteInAllSegments_areOneRecord() {
        for (int i = 0; i < 1000; i++) {
            fpdu(HandMade.write(i == 999, open.rkey(), open.baseAddress() + (long) i * SIZE, TEXT));
        }
        give(0);
        for (int i = 2; i < 1000; i++) {
            assertTrue(give(i) > 0);
        }
        assertEquals(0, receiver.holeFigures().refusedByBound());
        give(1);
        assertEquals((long) ends.get(999), receiver.nextOffset());
        assertEquals(List.of(), withdrawn);
    }

    @Test
    void guesses_rangesWereNotCollected_areNotAttempted() {
        byte[] forged = fpduOf(write(70_000));
        fpdu(write(0));
        fpdu(HandMade.write(true, open.rkey(), open.baseAddress() + 10_000, around(forged, 0)));
        fpdu(write(2000));
        fpdu(write(3000));
        give(0);
        int fake = start(1) + 2 + 14;
        give(fake, fake + forged.length);
        Slab slab = new Slab(peer.bytes().length);
        MemorySegment.copy(peer.bytes(), 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, peer.bytes().length);
        receiver.onSegment(start(1), slab, start(1), fake, 0);
        receiver.onSegment(start(3), slab, start(3), ends.get(3), 0);
        assertEquals(receiver.takenFrom(), receiver.takenTo());
        assertTrue(receiver.nextWithdrawn());
        assertFalse(receiver.nextWithdrawn());
        assertTrue(give(3) > 0);
    }
}
