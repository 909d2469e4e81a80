package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RegistrationRules;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import io.verbena.work.OneShotKeys;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stream remembers of requests: its own, those of the peer, and work whose completion is delayed. */
class RequestRecordsTest {

    private static final long NONE = OutstandingReads.NONE;

    // Requests of this side.

    @Test
    void outstanding_readsAndAtomics_areFoundByIndexKindAndMsn() {
        OutstandingReads reads = new OutstandingReads(3);
        assertEquals(0, reads.count());
        assertEquals(NONE, reads.oldestRead());
        assertEquals(NONE, reads.oldestAtomic());
        reads.add(10, 1, true);
        reads.add(12, 2, false);
        reads.add(15, 3, false);
        assertEquals(3, reads.count());
        assertEquals(12, reads.oldestRead());
        assertEquals(10, reads.oldestAtomic());
        assertEquals(15, reads.readOf(3));
        assertEquals(12, reads.readOf(2));
        assertEquals(NONE, reads.readOf(1), "an atomic");
        assertEquals(NONE, reads.readOf(4));
        assertEquals(10, reads.requestOf(1));
        assertEquals(15, reads.requestOf(3));
        assertEquals(NONE, reads.requestOf(0));
        assertEquals(1, reads.msnOf(10));
        assertEquals(3, reads.msnOf(15));
        assertThrows(AssertionError.class, () -> reads.msnOf(11));
        assertTrue(reads.waitsFor(12));
        assertFalse(reads.waitsFor(11));
    }

    @Test
    void outstanding_answeredOutOfOrder_placesAreFreeWhenTheOldestIsAnswered() {
        OutstandingReads reads = new OutstandingReads(3);
        reads.add(10, 1, true);
        reads.add(12, 2, false);
        reads.add(15, 3, true);
        assertEquals(0, reads.done(12));
        assertEquals(3, reads.count());
        assertFalse(reads.waitsFor(12));
        assertEquals(NONE, reads.oldestRead());
        assertEquals(NONE, reads.readOf(2));
        assertEquals(NONE, reads.requestOf(2));
        assertEquals(2, reads.done(10));
        assertEquals(1, reads.count());
        assertEquals(15, reads.oldestAtomic());
        assertEquals(1, reads.done(15));
        assertEquals(0, reads.count());
        assertEquals(NONE, reads.oldestAtomic());
    }

    /** The places are a ring: what an earlier request left in a place does not show. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 16})
    void outstanding_roundAndRound_keepsTheOrder(int capacity) {
        OutstandingReads reads = new OutstandingReads(capacity);
        int places = Math.max(1, capacity);
        long next = 0;
        for (int round = 0; round < 20; round++) {
            long first = next;
            for (int i = 0; i < places; i++, next++) {
                reads.add(next, (int) next + 1, next % 3 == 0);
                assertTrue(reads.waitsFor(next));
            }
            assertEquals(places, reads.count());
            for (long at = first; at < next; at++) {
                assertEquals(at, reads.requestOf((int) at + 1));
                assertEquals((int) at + 1, reads.msnOf(at));
                assertEquals(at % 3 == 0 ? NONE : at, reads.readOf((int) at + 1));
                assertEquals(at, at % 3 == 0 ? reads.oldestAtomic() : reads.oldestRead());
                assertEquals(1, reads.done(at));
            }
        }
    }

    @Test
    void outstanding_stateDigest_everyChange_changesIt() {
        OutstandingReads reads = new OutstandingReads(4);
        List<Long> digests = new ArrayList<>();
        digests.add(reads.stateDigest(5));
        reads.add(1, 1, false);
        digests.add(reads.stateDigest(5));
        reads.add(2, 2, false);
        digests.add(reads.stateDigest(5));
        reads.done(2);
        digests.add(reads.stateDigest(5));
        reads.done(1);
        digests.add(reads.stateDigest(5));
        assertEquals(5, digests.stream().distinct().count());
        assertNotEquals(digests.getLast(), reads.stateDigest(6));
    }

    // Requests of the peer.

    @Test
    void inbound_readsAndAtomics_comeBackInOrder_upToTheAgreedNumber() {
        InboundReads reads = new InboundReads(3);
        assertTrue(reads.isEmpty());
        assertFalse(reads.full());
        assertFalse(reads.has(0));
        reads.addRead(7, 70, 700, 8, 80, false);
        reads.addAtomic(99, 12345);
        assertFalse(reads.full());
        assertEquals(2, reads.next());
        reads.addRead(9, 90, 0, 10, 100, false);
        assertTrue(reads.full());
        assertTrue(reads.has(2));
        assertFalse(reads.has(3));
        assertFalse(reads.atomic(0));
        assertEquals(7, reads.sourceStag(0));
        assertEquals(70, reads.sourceTo(0));
        assertEquals(700, reads.length(0));
        assertEquals(8, reads.sinkStag(0));
        assertEquals(80, reads.sinkTo(0));
        assertTrue(reads.atomic(1));
        assertEquals(99, reads.requestIdentifier(1));
        assertEquals(12345, reads.original(1));
        assertEquals(0, reads.length(1));
        assertEquals(100, reads.sinkTo(2));
        OneShotKeys keys = new OneShotKeys(new RegionTable(new SplittableRandom(1)::nextLong), 3);
        reads.release(keys);
        assertFalse(reads.full());
        assertFalse(reads.isEmpty());
        reads.release(keys);
        reads.release(keys);
        assertTrue(reads.isEmpty());
        assertEquals(3, reads.next());
    }

    @Test
    void inbound_onlyReadsOfLengthZero_mayStayUnanswered() {
        InboundReads reads = new InboundReads(4);
        assertTrue(reads.mayStayUnanswered());
        reads.addRead(1, 2, 0, 3, 4, false);
        assertTrue(reads.mayStayUnanswered());
        reads.addAtomic(5, 6);
        assertFalse(reads.mayStayUnanswered());
        InboundReads others = new InboundReads(4);
        others.addRead(1, 2, 0, 3, 4, false);
        others.addRead(1, 2, 1, 3, 4, false);
        assertFalse(others.mayStayUnanswered());
    }

    @Test
    void inbound_oneShotKeys_endWhenTheResponseHasLeft_orWithTheConnection() {
        RegionTable table = new RegionTable(new SplittableRandom(2)::nextLong);
        OneShotKeys keys = new OneShotKeys(table, 3);
        InboundReads reads = new InboundReads(4);
        RemoteKey first = oneShot(table);
        RemoteKey second = oneShot(table);
        RemoteKey third = oneShot(table);
        int firstValue = claim(table, first, keys.read(0));
        int secondValue = claim(table, second, keys.read(1));
        int thirdValue = claim(table, third, keys.read(2));
        reads.addRead(firstValue, 0, 10, 0, 0, true);
        reads.addRead(secondValue, 0, 10, 0, 0, true);
        reads.addRead(thirdValue, 0, 10, 0, 0, false);
        reads.release(keys);
        assertFalse(table.keys().isBound(first));
        assertTrue(table.keys().isBound(second));
        reads.endOneShot(keys);
        assertFalse(table.keys().isBound(second));
        assertTrue(table.keys().isBound(third), "this Read did not use it up");
    }

    private static RemoteKey oneShot(RegionTable table) {
        Region region = table.register(new OffHeapMemory().allocate(64), 1, EnumSet.allOf(AccessRight.class));
        RemoteKey key = table.keys().allocate(1, false, true, true, true);
        int rights = RegistrationRules.bits(EnumSet.of(AccessRight.REMOTE_READ));
        assertEquals(Verdict.OK, table.keys().beginBind(key, region.localKey(), 1, 0, 64, rights));
        assertEquals(Verdict.OK, table.keys().bind(key, region.localKey(), 3, 0, 64, rights));
        return key;
    }

    private static int claim(RegionTable table, RemoteKey key, long message) {
        int value = table.keys().valueOf(key);
        assertEquals(Verdict.OK, new AccessCheck().check(table, value, 1, 3, message, 0, 10, AccessRight.REMOTE_READ));
        return value;
    }

    @Test
    void inbound_stateDigest_everyChange_changesIt() {
        InboundReads reads = new InboundReads(4);
        List<Long> digests = new ArrayList<>();
        digests.add(reads.stateDigest(5));
        reads.addRead(1, 2, 3, 4, 5, false);
        digests.add(reads.stateDigest(5));
        reads.addAtomic(1, 2);
        digests.add(reads.stateDigest(5));
        reads.release(new OneShotKeys(new RegionTable(new SplittableRandom(1)::nextLong), 3));
        digests.add(reads.stateDigest(5));
        InboundReads longer = new InboundReads(4);
        longer.addRead(1, 2, 4, 4, 5, false);
        digests.add(longer.stateDigest(5));
        assertEquals(5, digests.stream().distinct().count());
    }

    // Completions that are delayed.

    @Test
    void tailHoldsTheRest_workFromThereOnDoesNotComplete_untilTheTailHasLeft() {
        CompletionGate gate = new CompletionGate();
        assertEquals(9, gate.limit(9));
        gate.onTailPending(6);
        assertEquals(6, gate.limit(9));
        gate.onTailSent(100);
        assertEquals(9, gate.limit(9));
        assertEquals(Times.NEVER, gate.checkAtNs());
        assertFalse(gate.contradictable());
    }

    @Test
    void workLeavesAfterThePeersFin_isCheckedAfterTwentyFiveMilliseconds() {
        long nowNs = Long.MAX_VALUE - 5; // the clock wraps around meanwhile
        CompletionGate gate = new CompletionGate();
        gate.onMessageSent(nowNs);
        assertFalse(gate.contradictable(), "the peer has not ended");
        assertFalse(gate.peerEnded());
        gate.onPeerEnded();
        assertTrue(gate.peerEnded());
        assertEquals(Times.NEVER, gate.checkAtNs());
        gate.onMessageSent(nowNs);
        assertTrue(gate.contradictable());
        assertEquals(Times.after(nowNs, 25_000_000), gate.checkAtNs());
        gate.onTailSent(nowNs + 7);
        assertEquals(Times.after(nowNs, 25_000_007), gate.checkAtNs(), "the last byte counts");
        gate.onChecked();
        assertFalse(gate.contradictable());
        assertEquals(Times.NEVER, gate.checkAtNs());
    }

    @Test
    void gate_stateDigest_everyChange_changesIt() {
        CompletionGate gate = new CompletionGate();
        List<Long> digests = new ArrayList<>();
        digests.add(gate.stateDigest(5));
        gate.onTailPending(0);
        digests.add(gate.stateDigest(5));
        gate.onTailPending(1);
        digests.add(gate.stateDigest(5));
        gate.onPeerEnded();
        digests.add(gate.stateDigest(5));
        gate.onMessageSent(100);
        digests.add(gate.stateDigest(5));
        gate.onTailSent(200);
        digests.add(gate.stateDigest(5));
        assertEquals(6, digests.stream().distinct().count());
    }
}
