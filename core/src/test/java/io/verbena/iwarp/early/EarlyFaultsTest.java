package io.verbena.iwarp.early;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.Framing;
import io.verbena.iwarp.HandMade;
import io.verbena.iwarp.Reordering;
import io.verbena.iwarp.StreamPair;
import io.verbena.iwarp.Victim;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong, missing or surplus segments among those that arrive early. */
class EarlyFaultsTest {

    private StreamPair p = pair(true, true);
    private Region local = p.a.region(100_000);
    private Region remote = p.b.region(100_000);
    private byte[] bytes = {};
    private long[] ends = {};

    private static StreamPair pair(boolean crc, boolean markers) {
        return new StreamPair(crc, markers, 1000, Optional.empty(), 256, UnaryOperator.identity());
    }

    private void use(StreamPair other) {
        p = other;
        local = p.a.region(100_000);
        remote = p.b.region(100_000);
    }

    private void send(int length) {
        p.a.post(WorkOpcode.SEND, w -> w.addElement(local.localKey(), 0, length));
    }

    /** Everything that A has to say, as bytes, in {@code bytes}; FPDU i is {@code ends[i-1]} to {@code ends[i]}. */
    private void transmit(boolean markers) {
        StreamPair.fill(local, 1);
        p.a.transmit(0, 64 * 1024);
        bytes = p.a.wire;
        ends = Reordering.fpduEnds(markers, 0, bytes);
    }

    private long begin(int fpdu) {
        return fpdu == 0 ? 0 : ends[fpdu - 1];
    }

    private void give(long from, long to) {
        Slab slab = new Slab((int) (to - from));
        MemorySegment.copy(bytes, (int) from, slab.segment(), ValueLayout.JAVA_BYTE, 0, (int) (to - from));
        p.b.stream.onSegment(from, slab, 0, (int) (to - from), 0);
    }

    private void fpdus(int first, int last) {
        give(begin(first), ends[last]);
    }

    private long taken() {
        return p.b.stream.takenTo() - p.b.stream.takenFrom();
    }

    @Test
    void checksumThatIsWrong_earlySegment_isRefusedAndComesRightLater() {
        for (int i = 0; i < 3; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(true);
        int at = (int) begin(1) + 100;
        bytes[at] ^= 1;
        fpdus(1, 2);
        // RFC 5044 section 6 [1, 3]: an FPDU with a wrong checksum is not used; after a hole the segment is dropped.
        // The next FPDU is found by its own marker.
        assertEquals(begin(2), p.b.stream.takenFrom());
        assertEquals(ends[2], p.b.stream.takenTo());
        assertTrue(p.b.stream.ending().isEmpty());
        bytes[at] ^= 1;
        fpdus(1, 2);
        assertEquals(ends[2] - begin(1), taken());
        assertEquals(List.of(), p.b.completions());
        fpdus(0, 0);
        assertEquals(
                List.of("0 RECEIVE SUCCESS 1000", "1 RECEIVE SUCCESS 1000", "2 RECEIVE SUCCESS 1000"),
                p.b.completions());
        assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 1000, remote.segment(), 4000, 5000));
        assertEquals(ends[2], p.b.stream.nextOffset());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noChecksums_earlySegment_isRefused(boolean markers) {
        use(pair(false, markers));
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(markers);
        give(0, 30);
        assertEquals(30, p.b.stream.nextOffset());
        fpdus(1, 1);
        assertEquals(0, taken());
        give(10, ends[1]);
        assertEquals(2, p.b.completions().size());
        assertEquals(ends[1], p.b.stream.nextOffset());
    }

    @Test
    void placedEarly_isInMemoryBeforeItIsDelivered() {
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(true);
        fpdus(1, 1);
        // RFC 5041 section 5.3 [MAY]: placed out of order.
        assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 1000, remote.segment(), 2000, 3000));
        assertEquals(List.of(), p.b.completions());
        long digest = p.b.stream.stateDigest();
        // A copy of it, damaged: not looked at any more.
        bytes[(int) begin(1) + 500] ^= 1;
        fpdus(1, 1);
        assertEquals(ends[1] - begin(1), taken());
        assertEquals(digest, p.b.stream.stateDigest());
        assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 1000, remote.segment(), 2000, 3000));
        fpdus(0, 0);
        assertEquals(2, p.b.completions().size());
    }

    @Test
    void fpduUnderWayClaimsToEndInsideAnEarlyOne_whatFollowsItsEndIsNotPlaced() {
        Victim v = Victim.initiator(Framing.CRC_AND_MARKERS);
        HandMade early = new HandMade(v.framing);
        early.raw(new byte[400]);
        early.add(HandMade.write(true, v.open.rkey(), v.open.baseAddress(), HandMade.payload(160)));
        assertTrue(early.bytes().length > 580);
        segment(v, early, 400);
        assertEquals(early.bytes().length, v.end.stream.takenTo());
        // Marker and ULPDU_Length of an FPDU of 500 bytes on the wire.
        HandMade claim = new HandMade(v.framing);
        claim.raw(new byte[] {0, 0, 0, 0, 490 >> 8, (byte) 490});
        segment(v, claim, 0);
        assertEquals(6, v.end.stream.nextOffset());
        HandMade behind = new HandMade(v.framing);
        behind.raw(new byte[500]);
        behind.add(HandMade.write(true, v.open.rkey(), v.open.baseAddress(), HandMade.payload(100)));
        long placed = v.end.stream.holeFigures().placedBytes();
        segment(v, behind, 350);
        assertEquals(placed, v.end.stream.holeFigures().placedBytes());
        assertTrue(v.end.stream.ending().isEmpty());
        segment(v, behind, 6);
        assertEquals(TerminateCode.MPA_FPDU_START, v.ending().code().orElseThrow());
    }

    private static void segment(Victim v, HandMade from, int first) {
        byte[] all = from.bytes();
        Slab slab = new Slab(all.length - first);
        MemorySegment.copy(all, first, slab.segment(), ValueLayout.JAVA_BYTE, 0, slab.capacity());
        v.end.stream.onSegment(first, slab, 0, slab.capacity(), 0);
    }

    @Test
    void moreEarlyMessagesThanRoom_areRefusedAndComeAgain() {
        use(new StreamPair(true, false, 1000, Optional.empty(), 256, UnaryOperator.identity()));
        // Each Write of another address needs a record of its own.
        int writes = EarlyRecords.MAX_RECORDS + 100;
        for (int i = 0; i < writes; i++) {
            long at = i % 2;
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + at)
                            .addElement(local.localKey(), 0, 4));
            p.a.transmit(0, 64 * 1024);
            p.a.completions();
        }
        transmit(false);
        give(0, 10);
        fpdus(1, writes - 1);
        assertEquals(begin(1), p.b.stream.takenFrom());
        assertEquals(ends[EarlyRecords.MAX_RECORDS], p.b.stream.takenTo());
        assertEquals(1, p.b.stream.holeFigures().refusedByBound());
        assertTrue(p.b.stream.holeFigures().mostTableBytes() <= EarlyTables.MAX_TABLE_BYTES);
        give(10, ends[0]);
        assertEquals(ends[EarlyRecords.MAX_RECORDS], p.b.stream.nextOffset());
        fpdus(0, writes - 1);
        assertEquals(bytes.length, p.b.stream.nextOffset());
    }

    @Test
    void terminateBehindAHole_actsWhenTheHoleCloses() {
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        p.a.transmit(0, 64 * 1024);
        p.a.stream.onMemoryLost("the test says so");
        transmit(true);
        assertEquals(3, ends.length);
        fpdus(1, 2);
        assertEquals(ends[2] - begin(1), taken());
        // RFC 5041 section 5.4 [4]: not before what was sent before it.
        assertTrue(p.b.stream.ending().isEmpty());
        fpdus(0, 0);
        assertEquals(2, p.b.completions().size());
        assertEquals(
                Ending.Kind.TERMINATED_BY_PEER,
                p.b.stream.ending().orElseThrow().kind());
    }

    @Test
    void keyRevokedBetweenPlacementAndDelivery_endsTheStream() {
        p.b.postReceive(0, remote, 0, 2000);
        send(1000);
        Region target = p.b.region(1000);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.rkey(target.rkey()).remoteAddress(target.baseAddress()).addElement(local.localKey(), 0, 1000));
        transmit(true);
        fpdus(1, 1);
        assertEquals(ends[1] - begin(1), taken());
        p.b.regions.invalidate(target.rkey(), 1);
        fpdus(0, 0);
        assertEquals(List.of("0 RECEIVE SUCCESS 1000"), p.b.completions());
        assertEquals(
                TerminateCode.DDP_TAGGED_INVALID_STAG,
                p.b.stream.ending().orElseThrow().code().orElseThrow());
    }

    @Test
    void earlySendWithoutAReceive_isRefusedUntilOneIsPosted() {
        p.b.postReceive(0, remote, 0, 2000);
        send(1000);
        send(1000);
        transmit(true);
        fpdus(1, 1);
        assertEquals(0, taken());
        assertTrue(p.b.stream.ending().isEmpty());
        p.b.postReceive(1, remote, 2000, 999);
        fpdus(1, 1);
        assertEquals(0, taken(), "longer than its receive");
        fpdus(0, 0);
        fpdus(1, 1);
        // RFC 5041 section 7.1 [5]: in its turn it counts.
        assertEquals(
                TerminateCode.DDP_UNTAGGED_TOO_LONG,
                p.b.stream.ending().orElseThrow().code().orElseThrow());
    }

    @Test
    void earlyFpduThatReachesIntoAnother_isRefused() {
        for (int i = 0; i < 3; i++) {
            p.b.postReceive(i, remote, i * 3000L, 3000);
            send(1000);
        }
        transmit(true);
        fpdus(2, 2);
        byte[] right = bytes;
        // The same stream, but that its second message is longer: an FPDU with a right checksum and right markers.
        StreamPair other = new StreamPair(true, true, 2000, Optional.empty());
        Region source = other.a.region(2000);
        other.a.post(WorkOpcode.SEND, w -> w.addElement(source.localKey(), 0, 1000));
        other.a.post(WorkOpcode.SEND, w -> w.addElement(source.localKey(), 0, 2000));
        other.a.transmit(0, 64 * 1024);
        bytes = other.a.wire;
        give(begin(1), Reordering.fpduEnds(true, 0, bytes)[1]);
        // The bytes of the record after it have arrived; the bytes before it are not taken.
        assertEquals(begin(2), p.b.stream.takenFrom());
        assertTrue(p.b.stream.ending().isEmpty());
        bytes = right;
        fpdus(0, 2);
        assertEquals(3, p.b.completions().size());
    }

    @Test
    void fpduUnderWayThatReachesIntoAnEarlyOne_endsTheStream() {
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(true);
        fpdus(1, 1);
        // ULPDU_Length follows the first marker; its upper byte counts 256 bytes.
        bytes[4]++;
        fpdus(0, 1);
        // RFC 5044 section 8 [3, 6]: lengths and markers disagree on a start, seen when the gap closes.
        assertEquals(
                TerminateCode.MPA_FPDU_START,
                p.b.stream.ending().orElseThrow().code().orElseThrow());
        assertEquals(List.of(), p.b.completions());
    }

    @Test
    void markerThatPointsToAnFpduItDoesNotStandIn_isNotTrusted() {
        for (int i = 0; i < 4; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(100);
        }
        p.b.postReceive(4, remote, 8000, 2000);
        send(1000);
        transmit(true);
        // The marker at 512 is in the last FPDU; the test makes it point to the previous one.
        long start = begin(3);
        int back = (int) (512 - start);
        bytes[514] = (byte) (back >> 8);
        bytes[515] = (byte) back;
        give(start, 516 + 20);
        assertEquals(0, taken());
    }

    @Test
    void endOfStreamBeforeAnEarlyFpdu_isABadClose() {
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(true);
        fpdus(1, 1);
        p.b.stream.onEndOfStream(0);
        assertEquals(Ending.Kind.BAD_CLOSE, p.b.stream.ending().orElseThrow().kind());
    }

    @Test
    void coveredBytesInAStreamInOrder_arePassedOver() {
        for (int i = 0; i < 3; i++) {
            p.b.postReceive(i, remote, i * 2000L, 2000);
            send(1000);
        }
        transmit(true);
        fpdus(1, 1);
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        assertEquals(bytes.length, p.b.stream.onBytes(slab, 0, bytes.length, 0));
        assertEquals(3, p.b.completions().size());
        assertEquals(bytes.length, p.b.stream.nextOffset());
        assertFalse(p.b.stream.suspended());
    }
}
