package io.verbena.memory;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.RemoteRegion;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The life of remote keys, step by step: posted binds and unbinds, binds at once, uses, invalidation, the end. */
class RemoteKeysTest {

    private static final int DOMAIN = 4;
    private static final int QUEUE_PAIR = 7;
    private static final int OTHER_QUEUE_PAIR = 8;
    private static final int RIGHTS = RegistrationRules.bits(List.of(REMOTE_READ, REMOTE_WRITE));
    private static final RemoteRegion NOTHING = new RemoteRegion(0, 0, 0);

    private final RegionTable table = new RegionTable(new SeededRandom(31));
    private final RemoteKeys keys = table.keys();
    private final AccessCheck check = new AccessCheck();
    private final Region region = region(DOMAIN, LOCAL_WRITE, BIND, REMOTE_READ);
    private final int local = region.localKey();

    private Region region(int domain, AccessRight... rights) {
        return table.register(new OffHeapMemory().allocate(4096), domain, Set.of(rights));
    }

    /** A key for the domain that gets a new value with each bind. */
    private RemoteKey shared() {
        return keys.allocate(DOMAIN, false, false, true, true);
    }

    private int bindPosted(RemoteKey key, int queuePair, long offset, long length) {
        int value = keys.promise(key, queuePair, offset, length);
        assertEquals(Verdict.OK, keys.bindAlone(value, local, DOMAIN, queuePair, offset, length, RIGHTS));
        return value;
    }

    private void bindNow(RemoteKey key, long offset, long length) {
        assertEquals(Verdict.OK, keys.beginBind(key, local, DOMAIN, offset, length, RIGHTS));
        assertEquals(Verdict.OK, keys.bind(key, local, QUEUE_PAIR, offset, length, RIGHTS));
    }

    private Verdict access(int value, long address) {
        return check.check(table, value, DOMAIN, QUEUE_PAIR, 1, address, 1, REMOTE_READ);
    }

    // Binds that were posted.

    @Test
    void unboundKey_hasAValueThatOpensNothing() {
        RemoteKey key = shared();
        assertEquals(1, keys.allocated());
        assertNotEquals(0, key.identity());
        assertEquals(key.identity(), keys.valueOf(key));
        assertEquals(NOTHING, keys.remote(key));
        assertEquals(NOTHING, keys.bound(key));
        assertFalse(keys.isBound(key));
        assertEquals(Verdict.INVALID_KEY, access(key.identity(), 0));
        assertEquals(Verdict.INVALID_KEY, keys.invalidate(key.identity(), DOMAIN));
        assertEquals(Verdict.INVALID_KEY, keys.invalidateByPeer(key.identity(), DOMAIN, QUEUE_PAIR));
    }

    @Test
    void postedBind_executed_opensItsRange_underTheValueThatWasPromised() {
        RemoteKey key = shared();
        int value = keys.promise(key, QUEUE_PAIR, 0, 100);
        assertEquals(key.identity(), value, "the first bind has the value of the allocation");
        assertEquals(new RemoteRegion(0, 100, value), keys.remote(key));
        assertEquals(NOTHING, keys.bound(key), "not yet");
        assertEquals(Verdict.INVALID_KEY, access(value, 0));
        assertEquals(Verdict.OK, keys.beginBind(value, local, DOMAIN, 50, 100, RIGHTS));
        assertEquals(Verdict.OK, keys.bind(value, local, QUEUE_PAIR, 50, 100, RIGHTS));
        assertEquals(new RemoteRegion(0, 100, value), keys.bound(key));
        assertTrue(keys.isBound(key));
        assertEquals(Verdict.OK, access(value, 99));
        assertEquals(149, check.offset());
        assertEquals(Verdict.BOUNDS, access(value, 100));
    }

    @Test
    void secondBind_hasAnotherValue_unlessTheKeyHasOneForItsLife() {
        RemoteKey fresh = shared();
        int first = bindPosted(fresh, QUEUE_PAIR, 0, 10);
        int second = bindPosted(fresh, QUEUE_PAIR, 0, 20);
        assertNotEquals(first, second);
        assertEquals(second, keys.valueOf(fresh));
        assertEquals(Verdict.INVALID_KEY, access(first, 0));
        assertEquals(Verdict.OK, access(second, 19));
        RemoteKey kept = keys.allocate(DOMAIN, false, false, false, true);
        int only = bindPosted(kept, QUEUE_PAIR, 0, 10);
        assertEquals(only, bindPosted(kept, QUEUE_PAIR, 0, 20));
        assertEquals(only, kept.identity());
        assertEquals(Verdict.OK, access(only, 19));
    }

    @Test
    void unboundAgain_lastValueIsKnown() {
        RemoteKey key = shared();
        bindNow(key, 0, 10);
        bindNow(key, 0, 10);
        int second = keys.valueOf(key);
        assertNotEquals(key.identity(), second);
        keys.unbind(key);
        assertEquals(NOTHING, keys.remote(key));
        assertEquals(second, keys.valueOf(key));
        assertEquals(Verdict.INVALID_KEY, access(second, 0));
        keys.unbind(key);
        assertEquals(second, keys.valueOf(key), "twice is once");
    }

    @Test
    void bind_thatWasNotPosted_orOnAnotherQueuePair_isInvalid() {
        RemoteKey key = shared();
        int value = key.identity();
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(value, local, DOMAIN, 0, 10, RIGHTS), "not posted");
        assertEquals(Verdict.INVALID_KEY, keys.bind(value, local, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(value, keys.promise(key, QUEUE_PAIR, 0, 10));
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(value + 1, local, DOMAIN, 0, 10, RIGHTS), "no such key");
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(value, local + 1, DOMAIN, 0, 10, RIGHTS), "no such region");
        assertEquals(Verdict.INVALID_KEY, keys.bind(value + 1, local, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, keys.bind(value, local + 1, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, keys.bind(value, local, OTHER_QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, keys.bindAlone(value, local + 1, DOMAIN, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(Verdict.WRONG_DOMAIN, keys.beginBind(value, local, DOMAIN + 1, 0, 10, RIGHTS));
        Region foreign = region(DOMAIN + 1, LOCAL_WRITE, BIND);
        assertEquals(Verdict.WRONG_DOMAIN, keys.beginBind(value, foreign.localKey(), DOMAIN, 0, 10, RIGHTS));
        assertEquals(Verdict.OK, keys.bindAlone(value, local, DOMAIN, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, keys.bind(value, local, QUEUE_PAIR, 0, 10, RIGHTS), "executed already");
    }

    @Test
    void bindRules_stateThenRightsThenRange() {
        int key = keys.promise(shared(), QUEUE_PAIR, 0, 10);
        assertEquals(Verdict.OK, keys.beginBind(key, local, DOMAIN, 0, 4096, RIGHTS));
        assertEquals(Verdict.OK, keys.beginBind(key, local, DOMAIN, 4095, 1, RIGHTS));
        assertEquals(Verdict.BOUNDS, keys.beginBind(key, local, DOMAIN, 4096, 1, RIGHTS));
        assertEquals(Verdict.BOUNDS, keys.beginBind(key, local, DOMAIN, -1, 1, RIGHTS));
        assertEquals(Verdict.BOUNDS, keys.beginBind(key, local, DOMAIN, 0, 0, RIGHTS));
        assertEquals(Verdict.BOUNDS, keys.beginBind(key, local, DOMAIN, 1, Long.MAX_VALUE, RIGHTS));
        int write = RegistrationRules.bits(Set.of(LOCAL_WRITE));
        assertEquals(Verdict.NO_RIGHT, keys.beginBind(key, local, DOMAIN, -1, 1, write), "no right of keys");
        Region noBind = region(DOMAIN, LOCAL_WRITE);
        assertEquals(Verdict.NO_RIGHT, keys.beginBind(key, noBind.localKey(), DOMAIN, 0, 1, RIGHTS));
        Region readOnly = region(DOMAIN, BIND);
        int read = RegistrationRules.bits(Set.of(REMOTE_READ));
        int atomic = RegistrationRules.bits(Set.of(REMOTE_ATOMIC));
        assertEquals(Verdict.OK, keys.beginBind(key, readOnly.localKey(), DOMAIN, 0, 1, read));
        assertEquals(Verdict.NO_RIGHT, keys.beginBind(key, readOnly.localKey(), DOMAIN, 0, 1, RIGHTS));
        assertEquals(Verdict.NO_RIGHT, keys.beginBind(key, readOnly.localKey(), DOMAIN, 0, 1, atomic));
        assertEquals(Verdict.OK, table.invalidate(region.rkey(), DOMAIN));
        assertEquals(Verdict.OK, keys.beginBind(key, local, DOMAIN, 0, 10, RIGHTS), "its own key is not needed");
        readOnly.markLost("gone");
        assertEquals(Verdict.LOST, keys.beginBind(key, readOnly.localKey(), DOMAIN, -1, 1, atomic));
    }

    @Test
    void refusedBind_leavesWhatWasBound() {
        RemoteKey key = shared();
        int first = bindPosted(key, QUEUE_PAIR, 0, 10);
        int second = keys.promise(key, QUEUE_PAIR, 0, 5000);
        assertEquals(
                Verdict.BOUNDS,
                keys.bindAlone(second, local, DOMAIN, QUEUE_PAIR, 0, 5000, RIGHTS),
                "longer than the region");
        assertEquals(Verdict.OK, access(first, 9));
        assertEquals(first, keys.bound(key).rkey());
    }

    // Posted work that is not done.

    @Test
    void queuePairEnds_itsPostedBindsAreFlushed_thoseOfOthersStay() {
        RemoteKey key = shared();
        int bound = bindPosted(key, QUEUE_PAIR, 0, 10);
        int own = keys.promise(key, QUEUE_PAIR, 0, 20);
        int remote = keys.promise(key, OTHER_QUEUE_PAIR, 0, 30);
        int localToo = keys.promise(key, QUEUE_PAIR, 0, 40);
        keys.promiseUnbind(key, QUEUE_PAIR);
        assertEquals(4, Set.of(bound, own, remote, localToo).size());
        assertEquals(NOTHING, keys.remote(key), "the unbind is the last");
        keys.flushed(key, QUEUE_PAIR);
        assertEquals(new RemoteRegion(0, 30, remote), keys.remote(key));
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(own, local, DOMAIN, 0, 20, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(localToo, local, DOMAIN, 0, 40, RIGHTS));
        assertEquals(Verdict.OK, access(bound, 9), "a key for the domain stays bound");
        assertEquals(Verdict.OK, keys.bindAlone(remote, local, DOMAIN, OTHER_QUEUE_PAIR, 0, 30, RIGHTS));
        assertEquals(Verdict.OK, access(remote, 29));
    }

    @Test
    void queuePairEnds_keyBoundForItsPeer_isUnbound_othersAreNot() {
        RemoteKey key = keys.allocate(DOMAIN, true, false, true, true);
        int value = bindPosted(key, QUEUE_PAIR, 0, 10);
        assertEquals(Verdict.OK, access(value, 0));
        assertEquals(Verdict.INVALID_KEY, check.check(table, value, DOMAIN, OTHER_QUEUE_PAIR, 1, 0, 1, REMOTE_READ));
        keys.flushed(key, OTHER_QUEUE_PAIR);
        assertEquals(Verdict.OK, access(value, 0));
        keys.flushed(key, QUEUE_PAIR);
        assertEquals(Verdict.INVALID_KEY, access(value, 0));
        assertFalse(keys.isBound(key));
        keys.flushed(key, QUEUE_PAIR);
        assertEquals(value, keys.valueOf(key));
    }

    @Test
    void manyBindsPosted_eachIsExecutedWithItsOwnRange() {
        RemoteKey key = shared();
        int before = table.remoteKeyCount();
        int[] values = new int[20];
        for (int i = 0; i < values.length; i++) {
            values[i] = keys.promise(key, QUEUE_PAIR, i * 10L, 10 + i);
            assertEquals(new RemoteRegion(i * 10L, 10 + i, values[i]), keys.remote(key));
        }
        for (int i = 0; i < values.length; i++) {
            assertEquals(Verdict.OK, keys.bindAlone(values[i], local, DOMAIN, QUEUE_PAIR, 0, 10 + i, RIGHTS));
            assertEquals(Verdict.OK, access(values[i], 9 + i));
            assertEquals(Verdict.BOUNDS, access(values[i], 10 + i));
            assertEquals(29, keys.remote(key).length(), "the last one that was posted");
        }
        keys.deallocate(key);
        assertEquals(before - 1, table.remoteKeyCount(), "no value is left over");
    }

    @Test
    void flushedBinds_giveTheirValuesBack() {
        RemoteKey key = shared();
        bindPosted(key, QUEUE_PAIR, 0, 10);
        int before = table.remoteKeyCount();
        for (int i = 0; i < 200; i++) {
            keys.promise(key, QUEUE_PAIR, 0, 10);
            keys.promiseUnbind(key, QUEUE_PAIR);
        }
        assertEquals(before + 200, table.remoteKeyCount());
        keys.flushed(key, QUEUE_PAIR);
        assertEquals(before, table.remoteKeyCount());
        assertEquals(new RemoteRegion(0, 10, key.identity()), keys.remote(key));
    }

    // Unbinds that were posted.

    @Test
    void postedUnbind_endsWhatWasBoundBeforeIt_notABindPostedLater() {
        RemoteKey key = shared();
        int first = bindPosted(key, QUEUE_PAIR, 0, 10);
        keys.promiseUnbind(key, QUEUE_PAIR);
        assertEquals(NOTHING, keys.remote(key));
        assertEquals(first, keys.bound(key).rkey());
        assertEquals(first, keys.valueOf(key));
        assertEquals(Verdict.WRONG_DOMAIN, keys.unbind(key.identity(), DOMAIN + 1, QUEUE_PAIR));
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, OTHER_QUEUE_PAIR), "none was posted there");
        assertEquals(Verdict.OK, access(first, 0));
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.INVALID_KEY, access(first, 0));
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR), "it was executed");
        assertEquals(Verdict.OK, keys.unbind(key.identity() + 1, DOMAIN, QUEUE_PAIR), "no such key");

        // On two queue pairs a bind that was posted after the unbind may be executed before it.
        keys.promiseUnbind(key, QUEUE_PAIR);
        int second = bindPosted(key, OTHER_QUEUE_PAIR, 0, 20);
        assertEquals(second, keys.remote(key).rkey(), "the bind is younger than the unbind");
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.OK, access(second, 19));
    }

    @Test
    void secondPostedUnbind_afterTheFirstWasExecuted_endsWhatWasBoundBetweenThem() {
        RemoteKey key = shared();
        bindPosted(key, QUEUE_PAIR, 0, 10);
        keys.promiseUnbind(key, QUEUE_PAIR);
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        int second = bindPosted(key, QUEUE_PAIR, 0, 20);
        keys.promiseUnbind(key, QUEUE_PAIR);
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.INVALID_KEY, access(second, 0));
    }

    @Test
    void postedUnbind_executedAfterABindAtOnce_leavesThatBind() {
        RemoteKey key = shared();
        keys.promiseUnbind(key, QUEUE_PAIR);
        bindNow(key, 0, 10);
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.OK, access(keys.valueOf(key), 9));
    }

    // Binds at once.

    @Test
    void bindAtOnce_replacesWhatIsBound_andARefusedOneDoesNot() {
        RemoteKey key = shared();
        bindNow(key, 0, 10);
        int first = keys.valueOf(key);
        assertEquals(Verdict.INVALID_KEY, keys.beginBind(key, local + 1, DOMAIN, 0, 10, RIGHTS));
        assertEquals(Verdict.BOUNDS, keys.beginBind(key, local, DOMAIN, 4096, 10, RIGHTS));
        assertEquals(Verdict.OK, access(first, 0));
        assertEquals(Verdict.INVALID_KEY, keys.bind(key, local, QUEUE_PAIR, 0, 20, RIGHTS), "it is bound");
        assertEquals(Verdict.OK, keys.beginBind(key, local, DOMAIN, 0, 20, RIGHTS));
        assertEquals(Verdict.INVALID_KEY, access(first, 0), "the first half ends the binding");
        assertEquals(Verdict.INVALID_KEY, keys.bind(key, local + 1, QUEUE_PAIR, 0, 20, RIGHTS));
        assertEquals(Verdict.OK, keys.bind(key, local, QUEUE_PAIR, 0, 20, RIGHTS));
        assertEquals(Verdict.OK, access(keys.valueOf(key), 19));
    }

    @Test
    void keyThatIsNotZeroBased_isAddressedLikeItsRegion() {
        RemoteKey key = keys.allocate(DOMAIN, false, false, true, false);
        bindNow(key, 64, 10);
        RemoteRegion bound = keys.bound(key);
        assertEquals(region.baseAddress() + 64, bound.address());
        assertEquals(10, bound.length());
        assertEquals(Verdict.OK, access(bound.rkey(), bound.address() + 9));
        assertEquals(73, check.offset());
        assertEquals(Verdict.BOUNDS, access(bound.rkey(), bound.address() - 1));
        assertFalse(key.zeroBased());
        assertTrue(shared().zeroBased());
    }

    // Uses and invalidation.

    @Test
    void oneShotKey_isItsFirstMessages_untilThatHasEnded() {
        RemoteKey key = keys.allocate(DOMAIN, false, true, true, true);
        bindNow(key, 0, 10);
        int value = keys.valueOf(key);
        assertEquals(Verdict.INVALID_KEY, check.check(table, value, DOMAIN, 0, 1, REMOTE_READ), "part of no message");
        assertEquals(Verdict.OK, check.check(table, value, DOMAIN, QUEUE_PAIR, 5, 0, 1, REMOTE_READ));
        assertTrue(check.oneShot());
        assertEquals(Verdict.OK, check.check(table, value, DOMAIN, QUEUE_PAIR, 5, 1, 1, REMOTE_READ));
        assertEquals(Verdict.INVALID_KEY, check.check(table, value, DOMAIN, QUEUE_PAIR, 6, 0, 1, REMOTE_READ));
        keys.used(value, 6);
        assertTrue(keys.isBound(key), "another message has ended");
        keys.used(value, 5);
        assertFalse(keys.isBound(key));
        assertEquals(Verdict.INVALID_KEY, check.check(table, value, DOMAIN, QUEUE_PAIR, 5, 0, 1, REMOTE_READ));
        // Bound again it is free again, and the end of the old message does not count.
        bindNow(key, 0, 10);
        keys.used(keys.valueOf(key), 5);
        assertTrue(keys.isBound(key));
        assertEquals(Verdict.OK, check.check(table, keys.valueOf(key), DOMAIN, QUEUE_PAIR, 6, 0, 1, REMOTE_READ));
        RemoteKey many = shared();
        bindNow(many, 0, 10);
        assertEquals(Verdict.OK, access(keys.valueOf(many), 0));
        assertFalse(check.oneShot());
        keys.used(keys.valueOf(many), 1);
        assertTrue(keys.isBound(many));
    }

    @Test
    void invalidation_byPeer_endsKeysOfItsQueuePairAndOfRegions_notKeysOfTheDomain() {
        RemoteKey shared = shared();
        bindNow(shared, 0, 10);
        RemoteKey own = keys.allocate(DOMAIN, true, false, true, true);
        bindNow(own, 0, 10);
        int sharedValue = keys.valueOf(shared);
        int ownValue = keys.valueOf(own);
        assertEquals(Verdict.INVALID_KEY, keys.invalidateByPeer(0, DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.NO_RIGHT, keys.invalidateByPeer(sharedValue, DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.OK, access(sharedValue, 0));
        assertEquals(Verdict.INVALID_KEY, keys.invalidateByPeer(ownValue, DOMAIN, OTHER_QUEUE_PAIR));
        assertEquals(Verdict.WRONG_DOMAIN, keys.invalidateByPeer(ownValue, DOMAIN + 1, QUEUE_PAIR));
        assertEquals(Verdict.OK, access(ownValue, 0));
        assertEquals(Verdict.OK, keys.invalidateByPeer(ownValue, DOMAIN, QUEUE_PAIR));
        assertEquals(Verdict.INVALID_KEY, access(ownValue, 0));
        assertEquals(Verdict.OK, keys.invalidateByPeer(region.rkey(), DOMAIN, QUEUE_PAIR));
        assertEquals(RegionState.INVALIDATED, region.state());
        assertEquals(Verdict.OK, keys.invalidate(sharedValue, DOMAIN));
        assertEquals(RegionState.INVALIDATED, region.state(), "a part's key has no effect on the region");
    }

    @Test
    void regionClosed_keysBoundToItOpenNothing() {
        RemoteKey key = shared();
        bindNow(key, 0, 10);
        int value = keys.valueOf(key);
        table.deregister(region);
        assertFalse(keys.isBound(key));
        assertEquals(NOTHING, keys.bound(key));
        assertEquals(NOTHING, keys.remote(key));
        assertEquals(value, keys.valueOf(key));
        assertEquals(Verdict.INVALID_KEY, access(value, 0));
        // A region with the same local key index does not inherit it.
        region(DOMAIN, BIND);
        assertEquals(Verdict.INVALID_KEY, access(value, 0));
        keys.deallocate(key);
    }

    // The end.

    @Test
    void deallocate_endsEveryValue_andFurtherUseIsMisuse() {
        RemoteKey key = shared();
        RemoteKey other = shared();
        assertEquals(2, keys.allocated());
        int before = table.remoteKeyCount();
        int bound = bindPosted(key, QUEUE_PAIR, 0, 10);
        int posted = keys.promise(key, QUEUE_PAIR, 0, 20);
        keys.promiseUnbind(key, QUEUE_PAIR);
        assertFalse(key.deallocated());
        keys.deallocate(key);
        assertTrue(key.deallocated());
        assertEquals(1, keys.allocated());
        assertEquals(before - 1, table.remoteKeyCount());
        assertEquals(Verdict.INVALID_KEY, access(bound, 0));
        assertEquals(Verdict.INVALID_KEY, keys.bindAlone(posted, local, DOMAIN, QUEUE_PAIR, 0, 20, RIGHTS));
        assertEquals(Verdict.OK, keys.unbind(key.identity(), DOMAIN, QUEUE_PAIR));
        assertThrows(IllegalStateException.class, () -> keys.deallocate(key));
        assertThrows(IllegalStateException.class, () -> keys.promise(key, QUEUE_PAIR, 0, 10));
        assertThrows(IllegalStateException.class, () -> keys.promiseUnbind(key, QUEUE_PAIR));
        assertThrows(IllegalStateException.class, () -> keys.beginBind(key, local, DOMAIN, 0, 10, RIGHTS));
        assertThrows(IllegalStateException.class, () -> keys.bind(key, local, QUEUE_PAIR, 0, 10, RIGHTS));
        assertEquals(1, keys.allocated());
        keys.deallocate(other);
    }

    /** RFC 5040 section 8.1.1 [8]: a retired value does not come back soon. */
    @Test
    void valuesOfDeallocatedAndUnboundKeys_areNotGivenOutAgain() {
        long[] next = {0x5000_0000_0000_0001L};
        RegionTable scripted = new RegionTable(() -> next[0]);
        RemoteKey first = scripted.keys().allocate(DOMAIN, false, false, true, true);
        int value = first.identity();
        scripted.keys().deallocate(first);
        assertThrows(
                IllegalStateException.class,
                () -> scripted.keys().allocate(DOMAIN, false, false, true, true),
                "the source repeats the retired value");
        next[0] = 0x6000_0000_0000_0001L;
        assertNotEquals(
                value,
                scripted.keys().allocate(DOMAIN, false, false, true, true).identity());
    }
}
