package io.verbena.iwarp.early;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.Framing;
import io.verbena.iwarp.HandMade;
import io.verbena.iwarp.NotNow;
import io.verbena.iwarp.Reordering;
import io.verbena.iwarp.StreamPair;
import io.verbena.iwarp.Victim;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the state of a hole is for: one test, or a few, for each property of delivery after holes. */
class HoleClaimsTest {

    private static final int BYTES = 1 << 20;
    private static final int MESSAGE = 1000;

    private boolean absent;
    private StreamPair p = pair(256);
    private Region local;
    private Region remote;
    private byte[] bytes = {};
    private long[] ends = {};

    HoleClaimsTest() {
        regions();
    }

    private StreamPair pair(int completions) {
        UnaryOperator<UlpduSink> around = sink -> new NotNow(sink, () -> absent);
        return new StreamPair(true, true, 1200, Optional.empty(), completions, around);
    }

    private void regions() {
        local = p.a.region(BYTES);
        remote = p.b.region(BYTES);
        StreamPair.fill(local, 1);
    }

    private void send(int id, WrFlags flags) {
        p.b.postReceive(id, remote, (long) id * MESSAGE, MESSAGE);
        p.a.post(WorkOpcode.SEND, flags, w -> w.addElement(local.localKey(), (long) id * MESSAGE, MESSAGE - id));
    }

    private void write(int id) {
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + (long) id * MESSAGE)
                        .addElement(local.localKey(), (long) id * MESSAGE, MESSAGE));
    }

    private void read(int id, int length) {
        p.a.post(
                WorkOpcode.READ,
                w -> w.wrId(id)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + (long) id * MESSAGE)
                        .addElement(local.localKey(), 500_000 + (long) id * MESSAGE, length));
    }

    /** All that an end sends now; FPDU i is {@code ends[i-1]} to {@code ends[i]}. */
    private void wire(StreamPair.End from, long base) {
        from.transmit(0, 256 * 1024);
        bytes = from.wire;
        from.wire = new byte[0];
        ends = Reordering.fpduEnds(true, base, bytes);
    }

    private long give(StreamPair.End to, long base, int fpdu) {
        long from = fpdu == 0 ? base : ends[fpdu - 1];
        int length = (int) (ends[fpdu] - from);
        Slab slab = new Slab(length);
        MemorySegment.copy(bytes, (int) (from - base), slab.segment(), ValueLayout.JAVA_BYTE, 0, length);
        to.stream.onSegment(from, slab, 0, length, 0);
        slab.segment().fill((byte) 0x5a);
        return to.stream.takenTo() - to.stream.takenFrom();
    }

    private void arrive(int... fpdus) {
        for (int fpdu : fpdus) {
            assertNotEquals(0, give(p.b, 0, fpdu), "FPDU " + fpdu + " was not taken");
        }
    }

    private boolean placed(Region from, long offset, Region to, long at, int length) {
        return MemorySegment.mismatch(from.segment(), offset, offset + length, to.segment(), at, at + length) < 0;
    }

    private String holes() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < p.b.stream.holes(); i++) {
            Hole h = p.b.stream.hole(i);
            all.add("s" + h.sends() + " q" + h.requests() + " a" + h.atomics() + " r" + h.responses());
        }
        return String.join(", ", all);
    }

    // O1: a segment after a hole is placed in its final buffer.

    @Test
    void segmentAfterAHole_isInItsFinalBufferBeforeTheHoleCloses() {
        send(0, WrFlags.SIGNALLED);
        write(1);
        send(2, WrFlags.SIGNALLED);
        wire(p.a, 0);
        arrive(1, 2);
        // RFC 5041 section 5.3 [MAY]: the second receive belongs to the second Send, though the first has not arrived.
        assertTrue(placed(local, MESSAGE, remote, MESSAGE, MESSAGE));
        assertTrue(placed(local, 2 * MESSAGE, remote, 2 * MESSAGE, MESSAGE - 2));
        assertEquals(List.of(), p.b.completions());
        assertEquals(2 * MESSAGE - 2, p.b.stream.holeFigures().placedBytes());
        assertEquals(0, p.b.stream.holeFigures().scrapCopies());
    }

    @Test
    void fpduInTwoSegments_afterAHole_isPlacedWhenBothAreHere() {
        send(0, WrFlags.SIGNALLED);
        send(1, WrFlags.SIGNALLED);
        write(2);
        wire(p.a, 0);
        arrive(1);
        // The last four bytes, the checksum, are in a segment of their own, as Linux siw sends it.
        long middle = ends[2] - 4;
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        p.b.stream.onSegment(ends[1], slab, (int) ends[1], (int) middle, 0);
        assertEquals(middle, p.b.stream.takenTo());
        assertFalse(placed(local, 2 * MESSAGE, remote, 2 * MESSAGE, MESSAGE));
        p.b.stream.onSegment(middle, slab, (int) middle, (int) ends[2], 0);
        assertEquals(ends[2], p.b.stream.takenTo());
        assertTrue(placed(local, 2 * MESSAGE, remote, 2 * MESSAGE, MESSAGE));
        arrive(0);
        assertEquals(bytes.length, p.b.stream.nextOffset());
    }

    @Test
    void longWrite_afterAHole_isOneRecord() {
        send(0, WrFlags.SIGNALLED);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + MESSAGE)
                        .addElement(local.localKey(), MESSAGE, 100 * MESSAGE));
        wire(p.a, 0);
        assertTrue(ends.length > 80);
        for (int i = ends.length - 1; i > 0; i -= 2) {
            arrive(i);
        }
        for (int i = 1; i < ends.length; i++) {
            give(p.b, 0, i);
        }
        assertEquals(1, p.b.stream.holes());
        assertTrue(p.b.stream.holeFigures().mostRecords() > 30);
        arrive(0);
        assertEquals(bytes.length, p.b.stream.nextOffset());
        assertTrue(placed(local, MESSAGE, remote, MESSAGE, 100 * MESSAGE));
    }

    // O2: state for each hole.

    @Test
    void holes_countWhatIsCompleteAfterThem_splitAndMerge() {
        send(0, WrFlags.SIGNALLED);
        send(1, WrFlags.SIGNALLED);
        send(2, WrFlags.SIGNALLED);
        read(3, 10);
        send(4, WrFlags.SIGNALLED);
        read(5, 10);
        wire(p.a, 0);
        arrive(4, 5);
        assertEquals("s1 q1 a0 r0", holes());
        arrive(1);
        assertEquals("s1 q0 a0 r0, s1 q1 a0 r0", holes());
        arrive(2);
        assertEquals("s2 q0 a0 r0, s1 q1 a0 r0", holes());
        arrive(3);
        assertEquals("s3 q2 a0 r0", holes());
        arrive(0);
        assertEquals("", holes());
        assertEquals(4, p.b.completions().size());
    }

    // O3: Read Requests.

    @Test
    void readRequestsAfterAHole_areInTheReadQueue_andServedWhenItCloses() {
        send(0, WrFlags.SIGNALLED);
        write(1);
        read(1, 100);
        p.a.post(
                WorkOpcode.FETCH_AND_ADD,
                w -> w.rkey(remote.rkey())
                        .operand1(7)
                        .remoteAddress(remote.baseAddress() + 8000)
                        .addElement(local.localKey(), 8000, 8));
        read(2, 100);
        wire(p.a, 0);
        // The Write contains a marker, and the requests follow it.
        arrive(1, 2, 3, 4);
        assertEquals("s0 q2 a1 r0", holes());
        // Neither answered nor executed: the peer may rely on what it sent before.
        assertFalse(p.b.stream.hasTransmitWork(0));
        assertEquals(0, remote.segment().get(ValueLayout.JAVA_LONG, 8000));
        arrive(0);
        assertTrue(p.b.stream.hasTransmitWork(0), "the doorbell of the read queue");
        assertEquals(7, remote.segment().get(ValueLayout.JAVA_LONG, 8000));
    }

    @Test
    void twoReadRequestsWithTheSameNumber_afterAHole_areAViolationInOrder() {
        Victim v = Victim.initiator(Framing.CRC_AND_MARKERS);
        v.postReceive(1, 0, 100);
        v.peer.add(HandMade.send(true, 1, 0, HandMade.payload(50)));
        int first = v.peer.bytes().length;
        // Large enough that each FPDU contains a marker.
        byte[] filler = HandMade.write(true, v.open.rkey(), v.open.baseAddress(), HandMade.payload(600));
        v.peer.add(filler, HandMade.readRequest(1, 1, 0, 8, v.readable.rkey(), v.readable.baseAddress()));
        v.peer.add(HandMade.readRequest(1, 2, 0, 9, v.readable.rkey(), v.readable.baseAddress()));
        int all = v.peer.bytes().length;
        v.segment(first, all);
        assertTrue(v.end.stream.ending().isEmpty());
        v.segment(0, first);
        v.segment(first, all);
        assertEquals(TerminateCode.DDP_UNTAGGED_MSN_RANGE, v.ending().code().orElseThrow());
    }

    // O4: Sends.

    @Test
    void sendsAfterAHole_asManyCompletionsWhenItCloses_detailsAreReadWhenPolled() {
        int sends = 40;
        for (int i = 0; i < sends; i++) {
            send(i, i % 3 == 0 ? WrFlags.SIGNALLED.withSolicited() : WrFlags.SIGNALLED);
        }
        wire(p.a, 0);
        for (int i = sends - 1; i > 0; i--) {
            arrive(i);
        }
        assertEquals("s39 q0 a0 r0", holes());
        assertEquals(0, p.b.ring.size());
        arrive(0);
        // In the turn in which the hole closed.
        assertEquals(sends, p.b.ring.size());
        // The receives have completed, so their slots can be filled again before anything is polled.
        for (int i = 0; i < sends; i++) {
            p.b.postReceive(1000 + i, remote, 0, 1);
        }
        for (int i = 0; i < sends; i++) {
            String solicited = i % 3 == 0 ? " solicited" : "";
            assertEquals(i + " RECEIVE SUCCESS " + (MESSAGE - i) + solicited, p.b.completion());
        }
        assertEquals("", p.b.completion());
    }

    @Test
    void receiveWhosePreviousCompletionIsNotPolled_earlySendIsRefusedUntilItIs() {
        int depth = 64;
        for (int lap = 0; lap < 2; lap++) {
            for (int i = 0; i < depth; i++) {
                send(i, WrFlags.SIGNALLED);
            }
            p.a.transmit(0, 256 * 1024);
            p.a.completions();
            if (lap == 0) {
                bytes = p.a.wire;
                ends = Reordering.fpduEnds(true, 0, bytes);
                arrive(1, 2, 0);
                for (int i = 3; i < depth; i++) {
                    arrive(i);
                }
                assertEquals(depth, p.b.ring.size());
            }
        }
        bytes = p.a.wire;
        ends = Reordering.fpduEnds(true, 0, bytes);
        assertEquals(0, give(p.b, 0, depth + 1), "its details are still needed");
        // Not the second one: this completion was published with its details.
        arrive(depth + 3);
        assertEquals("0 RECEIVE SUCCESS " + MESSAGE, p.b.completion());
        assertEquals("1 RECEIVE SUCCESS " + (MESSAGE - 1), p.b.completion());
        arrive(depth + 1, depth, depth + 2);
        assertEquals(depth + 2, p.b.ring.size());
    }

    @Test
    void completionQueueIsFull_whenTheHoleCloses_theStreamEndsAndNoneIsLost() {
        p = pair(4);
        regions();
        for (int i = 0; i < 8; i++) {
            send(i, WrFlags.SIGNALLED);
        }
        wire(p.a, 0);
        arrive(1, 2, 3, 4, 5, 6, 7, 0);
        assertEquals(Ending.Kind.ABORTED, p.b.stream.ending().orElseThrow().kind());
        List<String> all = new ArrayList<>();
        while (!p.b.stream.flush() || p.b.ring.size() > 0) {
            all.addAll(p.b.completions());
        }
        assertEquals(8, all.size());
        assertEquals("3 RECEIVE SUCCESS 997", all.get(3));
        assertEquals("4 RECEIVE FLUSHED 0", all.get(4));
    }

    // O5: Read Responses.

    @Test
    void readResponsesAfterAHole_areCounted_andTheReadsCompleteWhenItCloses() {
        p.b.postReceive(9, remote, 0, 1);
        p.a.post(WorkOpcode.SEND, w -> w.wrId(9));
        for (int i = 1; i <= 3; i++) {
            read(i, MESSAGE);
        }
        p.a.transmit(0, 256 * 1024);
        p.deliver(p.a, p.b, Integer.MAX_VALUE);
        StreamPair.fill(remote, 3);
        wire(p.b, 0);
        assertEquals(3, ends.length);
        assertEquals(List.of("9 SEND SUCCESS 0"), p.a.completions());
        for (int i = 2; i > 0; i--) {
            assertNotEquals(0, give(p.a, 0, i));
        }
        assertEquals(2, p.a.stream.hole(0).responses());
        assertTrue(placed(remote, 3 * MESSAGE, local, 500_000 + 3 * MESSAGE, MESSAGE));
        assertEquals(List.of(), p.a.completions());
        give(p.a, 0, 0);
        assertEquals(List.of("1 READ SUCCESS 1000", "2 READ SUCCESS 1000", "3 READ SUCCESS 1000"), p.a.completions());
    }

    // O6: order, with any number of holes that close in any order.

    @Test
    void fiveHoles_closingInEveryOrder_deliverInOrder() {
        for (List<Integer> order : Reordering.permutations(List.of(0, 2, 4, 6, 8))) {
            p = pair(256);
            regions();
            for (int i = 0; i < 10; i++) {
                send(i, WrFlags.SIGNALLED);
            }
            wire(p.a, 0);
            arrive(9, 7, 5, 3, 1);
            assertEquals(5, p.b.stream.holes());
            List<String> delivered = new ArrayList<>();
            for (int fpdu : order) {
                arrive(fpdu);
                delivered.addAll(p.b.completions());
                assertEquals(delivered.size(), p.b.stream.nextOffset() == 0 ? 0 : complete());
            }
            for (int i = 0; i < 10; i++) {
                assertEquals(i + " RECEIVE SUCCESS " + (MESSAGE - i), delivered.get(i));
            }
        }
    }

    private int complete() {
        int count = 0;
        while (count < ends.length && ends[count] <= p.b.stream.nextOffset()) {
            count++;
        }
        return count;
    }

    // Ends of the stream with open holes, and memory that is not there.

    @Test
    void flush_withOpenHoles_eachReceiveIsFlushedOnce_andTheMemoryIsReturned() {
        for (int i = 0; i < 4; i++) {
            send(i, WrFlags.SIGNALLED);
        }
        wire(p.a, 0);
        arrive(3, 1);
        p.b.stream.onBroken("the test says so", 0);
        assertTrue(p.b.stream.flush());
        assertTrue(p.b.stream.flush());
        List<String> all = p.b.completions();
        assertEquals(4, all.size());
        assertTrue(all.stream().allMatch(line -> line.contains("FLUSHED")));
        assertEquals(0, p.b.earlyMemory.usedBytes());
    }

    @Test
    void memoryOfTheRnicIsUsedUp_nothingIsTakenEarly_andAllArrivesInOrder() {
        assertTrue(p.b.earlyMemory.take(StreamPair.EARLY_BYTES));
        for (int i = 0; i < 4; i++) {
            send(i, WrFlags.SIGNALLED);
        }
        wire(p.a, 0);
        assertEquals(0, give(p.b, 0, 2));
        assertEquals(1, p.b.stream.holeFigures().refusedByBound());
        arrive(0, 1, 2, 3);
        assertEquals(4, p.b.completions().size());
    }

    @Test
    void memoryIsMissing_whileAHoleIsOpen_theSegmentComesAgain() {
        send(0, WrFlags.SIGNALLED);
        write(1);
        wire(p.a, 0);
        absent = true;
        assertEquals(0, give(p.b, 0, 1));
        absent = false;
        arrive(1, 0);
        assertTrue(placed(local, MESSAGE, remote, MESSAGE, MESSAGE));
    }

    @Test
    void keyRevokedAfterALongWriteWasPlaced_theFirstSegmentIsReported() {
        Region target = p.b.region(20_000);
        send(0, WrFlags.SIGNALLED);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.rkey(target.rkey()).remoteAddress(target.baseAddress()).addElement(local.localKey(), 0, 9000));
        wire(p.a, 0);
        for (int i = ends.length - 1; i > 0; i--) {
            arrive(i);
        }
        p.b.regions.invalidate(target.rkey(), 1);
        arrive(0);
        Ending end = p.b.stream.ending().orElseThrow();
        assertEquals(TerminateCode.DDP_TAGGED_INVALID_STAG, end.code().orElseThrow());
        assertTrue(end.sentence().contains("to=0x" + String.format("%016x", target.baseAddress())), end.sentence());
        assertTrue(end.sentence().contains("len=1200"), end.sentence());
    }
}
