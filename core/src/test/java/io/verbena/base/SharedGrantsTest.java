package io.verbena.base;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Grants of a region: who may access it, and when the owner may use its memory again. */
class SharedGrantsTest {

    private static final int KEY = 0x1234_5678;
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final long BASE = 0x7_0000_0000L;
    private static final int BYTES = 1000;

    private final MemorySegment page = Arena.ofAuto().allocate(SharedGrants.PAGE_BYTES, SharedGrants.PAGE_BYTES);
    private final MemorySegment region = Arena.ofAuto().allocate(BYTES, 8);
    private long nowNs = Long.MAX_VALUE - 5; // passes the largest number
    private final SharedGrants grants = new SharedGrants(page, () -> nowNs);
    private final List<String> hung = new ArrayList<>();

    private GrantedMemory grant(int rights) {
        return memory(grants.issue(KEY, SharedGrants.NONE).orElseThrow(), rights);
    }

    private GrantedMemory memory(SharedGrants.Issued issued, int rights) {
        return new GrantedMemory(
                region, page, new GrantedMemory.Terms(KEY, BASE, rights, issued.slot(), issued.number()));
    }

    private void open() {
        grants.open(KEY, () -> hung.add("hung"));
    }

    @Test
    void grant_ofAValidKey_isEntered_untilItIsRevoked() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        memory.memory().set(JAVA_BYTE, memory.offset(BASE + 7), (byte) 1);
        memory.leave();
        grants.revoke();
        assertTrue(grants.settled());
        assertFalse(memory.live());
        assertFalse(memory.enter());
        assertFalse(memory.enter());
        assertEquals(List.of(), hung);
    }

    @Test
    void anotherKey_orNone_isNotGranted() {
        assertTrue(grants.issue(KEY, SharedGrants.NONE).isEmpty());
        assertTrue(grants.issue(0, SharedGrants.NONE).isEmpty());
        open();
        assertTrue(grants.issue(KEY + 1, SharedGrants.NONE).isEmpty());
        assertTrue(grants.issue(0, SharedGrants.NONE).isEmpty());
        grants.revoke();
        assertTrue(grants.issue(KEY, SharedGrants.NONE).isEmpty());
    }

    @Test
    void range_isCheckedAtBothEnds_andSoIsTheRight() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.permits(BASE, BYTES, WRITE));
        assertTrue(memory.permits(BASE + BYTES, 0, WRITE));
        assertFalse(memory.permits(BASE, BYTES, READ));
        assertFalse(memory.permits(BASE, BYTES + 1, WRITE));
        assertFalse(memory.permits(BASE - 1, 1, WRITE));
        assertFalse(memory.permits(BASE + BYTES, 1, WRITE));
        assertFalse(memory.permits(BASE, Long.MAX_VALUE, WRITE));
        assertFalse(memory.permits(BASE + 1, Long.MAX_VALUE, WRITE));
        assertFalse(memory.permits(BASE, -1, WRITE));
        assertFalse(memory.permits(BASE + Long.MIN_VALUE, 1, WRITE));
        assertFalse(memory.permits(-1, 1, WRITE));
    }

    @Test
    void peerInside_revocationWaits_untilItLeaves() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.revoke();
        assertFalse(grants.settled());
        assertFalse(memory.live());
        nowNs += SharedGrants.BOUND_NS - 1;
        assertFalse(grants.settled());
        memory.leave();
        assertTrue(grants.settled());
        assertEquals(List.of(), hung);
    }

    @Test
    void peerHangsInside_isGivenUp_andNeitherItsSlotNorTheMemoryIsUsedAgain() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.revoke();
        nowNs += SharedGrants.BOUND_NS;
        assertTrue(grants.settled());
        assertEquals(List.of("hung"), hung);
        assertTrue(grants.settled());
        assertEquals(1, hung.size());
        open();
        int slot = grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot();
        assertNotEquals(0, slot);
        assertTrue(grants.issue(KEY, 0).isEmpty());
        grants.end(0, true);
        assertEquals(2, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
    }

    @Test
    void peerOfOneConnectionHangsInside_grantsOfTheOthersEnd() {
        open();
        GrantedMemory memory = grant(WRITE);
        GrantedMemory other = grant(WRITE);
        assertTrue(memory.enter());
        assertTrue(other.enter());
        grants.revoke(0);
        nowNs += SharedGrants.BOUND_NS;
        assertTrue(grants.settled(0));
        assertEquals(List.of("hung"), hung);
        assertFalse(other.live());
        assertFalse(grants.settled());
        other.leave();
        assertFalse(other.enter());
        assertTrue(grants.settled());
        assertEquals(1, hung.size());
    }

    @Test
    void connectionEnds_whileThePeerIsInside_itsSlotIsFreeForAGrantAfterItHasLeft() {
        open();
        List<GrantedMemory> inside = new ArrayList<>();
        for (int slot = 0; slot < SharedGrants.SLOTS; slot++) {
            inside.add(grant(WRITE));
            assertTrue(inside.get(slot).enter());
        }
        for (int slot = 0; slot < SharedGrants.SLOTS; slot++) {
            grants.end(slot, false);
        }
        assertTrue(grants.issue(KEY, SharedGrants.NONE).isEmpty());
        inside.get(5).leave();
        assertEquals(5, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
        assertTrue(grants.issue(KEY, SharedGrants.NONE).isEmpty());
    }

    @Test
    void secondRevocation_whileTheFirstWaits_doesNotExtendTheWait() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.revoke();
        nowNs += SharedGrants.BOUND_NS / 2;
        grants.revoke(0);
        grants.revoke();
        nowNs += SharedGrants.BOUND_NS / 2;
        assertTrue(grants.settled());
        assertEquals(1, hung.size());
    }

    /** Peers with a grant of the next key hang as well, and are found when the first one is given up. */
    @Test
    void peersOfLaterGrantsHangInside_doNotExtendTheWait() {
        open();
        GrantedMemory first = grant(WRITE);
        assertTrue(first.enter());
        grants.revoke();
        SharedGrants.Leaving wait = grants.leaving();
        open();
        nowNs += SharedGrants.BOUND_NS / 2;
        GrantedMemory second = grant(WRITE);
        assertTrue(second.enter());
        assertFalse(wait.settled());
        nowNs += SharedGrants.BOUND_NS / 2;
        assertTrue(wait.settled());
        assertEquals(List.of("hung"), hung);
        SharedGrants.Leaving next = grants.leaving();
        assertFalse(next.settled());
        second.leave();
        assertTrue(next.settled());
        assertTrue(wait.settled());
    }

    @Test
    void peerThatHasLeft_isNotWaitedForAgain_whenItLooksAtItsGrant() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.revoke();
        SharedGrants.Leaving wait = grants.leaving();
        memory.leave();
        page.set(JAVA_LONG, SharedGrants.insideAt(0), page.get(JAVA_LONG, SharedGrants.insideAt(0)) + 1);
        grants.revoke(0);
        assertFalse(grants.settled());
        assertTrue(wait.settled());
    }

    @Test
    void grantOfTheSameConnection_isIssuedOnlyAfterThePeerHasLeft() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.revoke(0);
        assertTrue(grants.issue(KEY, 0).isEmpty());
        memory.leave();
        GrantedMemory next = memory(grants.issue(KEY, 0).orElseThrow(), WRITE);
        assertFalse(memory.live());
        assertTrue(next.enter());
        grants.revoke(0);
        assertFalse(grants.settled(0));
        next.leave();
        assertTrue(grants.settled(0));
    }

    @Test
    void peerKilledInside_itsSlotIsUsedAgain_andTheNextPeerIsSeenInside() {
        open();
        GrantedMemory dead = grant(WRITE);
        assertTrue(dead.enter());
        grants.end(0, true);
        assertTrue(grants.settled());
        assertEquals(0, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
        grants.revoke(0);
        assertTrue(grants.settled());
        GrantedMemory next = memory(grants.issue(KEY, 0).orElseThrow(), WRITE);
        assertTrue(next.enter());
        grants.revoke();
        assertFalse(grants.settled());
        next.leave();
        assertTrue(grants.settled());
    }

    @Test
    void connectionEnds_whileThePeerIsInside_itsSlotIsUsedAgainAfterItHasLeft() {
        open();
        GrantedMemory memory = grant(WRITE);
        assertTrue(memory.enter());
        grants.end(0, false);
        assertEquals(1, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
        memory.leave();
        assertTrue(grants.settled());
        assertEquals(0, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
    }

    @Test
    void regionIsUnmapped_connectionsEndLater() {
        Arena arena = Arena.ofShared();
        SharedGrants mapped =
                new SharedGrants(arena.allocate(SharedGrants.PAGE_BYTES, SharedGrants.PAGE_BYTES), () -> nowNs);
        mapped.open(KEY, () -> {});
        int slot = mapped.issue(KEY, SharedGrants.NONE).orElseThrow().slot();
        mapped.close();
        arena.close();
        mapped.revoke(slot);
        mapped.revoke();
        assertTrue(mapped.settled());
        assertTrue(mapped.issue(KEY, slot).isEmpty());
        mapped.end(slot, false);
    }

    @Test
    void moreConnectionsThanSlots_areNotGranted_untilOneEnds() {
        open();
        for (int i = 0; i < SharedGrants.SLOTS; i++) {
            assertEquals(i, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
        }
        assertTrue(grants.issue(KEY, SharedGrants.NONE).isEmpty());
        grants.end(17, false);
        assertEquals(17, grants.issue(KEY, SharedGrants.NONE).orElseThrow().slot());
    }

    @Test
    void atomics_areExecutedInThePeersMemory() {
        open();
        GrantedMemory memory = grant(WRITE);
        region.set(JAVA_LONG, 8, 40);
        assertTrue(memory.aligned(BASE + 8));
        assertFalse(memory.aligned(BASE + 9));
        assertTrue(memory.enter());
        assertEquals(40, memory.getAndAdd(BASE + 8, 2));
        assertEquals(42, memory.compareAndExchange(BASE + 8, 42, 7));
        assertEquals(7, memory.compareAndExchange(BASE + 8, 42, 8));
        memory.leave();
        assertEquals(7, region.get(JAVA_LONG, 8));
    }

    /** Any bytes in the page: neither side accesses anything but its own memory, and every wait ends. */
    @Tag(Seeds.TAG)
    @Test
    void hostilePage_hurtsOnlyItsOwner() {
        SplittableRandom random = new SplittableRandom(Seeds.one(1));
        for (int round = 0; round < 2000; round++) {
            open();
            List<GrantedMemory> peers = new ArrayList<>();
            List<Boolean> inside = new ArrayList<>();
            for (int step = 0; step < 40; step++) {
                page.set(JAVA_LONG, 8L * random.nextInt(SharedGrants.PAGE_BYTES / 8), value(random));
                switch (random.nextInt(5)) {
                    case 0 ->
                        grants.issue(KEY, SharedGrants.NONE).ifPresent(issued -> {
                            peers.add(memory(issued, random.nextInt(4)));
                            inside.add(false);
                        });
                    case 1, 2 -> {
                        if (!peers.isEmpty()) {
                            int at = random.nextInt(peers.size());
                            GrantedMemory peer = peers.get(at);
                            if (inside.get(at)) {
                                peer.leave();
                                inside.set(at, false);
                            } else {
                                inside.set(at, peer.enter());
                            }
                            long address = BASE + random.nextInt(-20, BYTES + 20);
                            long length = random.nextInt(BYTES + 20);
                            if (peer.permits(address, length, READ)) {
                                region.asSlice(peer.offset(address), length);
                            }
                        }
                    }
                    case 3 -> {
                        if (random.nextInt(8) == 0) {
                            grants.revoke();
                        } else {
                            grants.revoke(random.nextInt(SharedGrants.SLOTS));
                        }
                    }
                    default -> grants.end(random.nextInt(SharedGrants.SLOTS), random.nextBoolean());
                }
            }
            grants.revoke();
            nowNs += SharedGrants.BOUND_NS;
            assertTrue(grants.settled(), "every wait ends");
            for (int slot = 0; slot < SharedGrants.SLOTS; slot++) {
                grants.end(slot, true);
            }
        }
    }

    private static long value(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextLong();
            case 2 -> random.nextInt(10);
            default -> -1;
        };
    }
}
