package io.verbena.memory;

import io.verbena.base.RandomSource;
import io.verbena.verbs.AccessRight;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All remote keys of one RNIC: each region's own, and those that are allocated and bound to parts of regions. What they
 * open is in {@link KeyLines}, where to find them in {@link RemoteKeyTable}; this is their life.
 *
 * <pre>
 *   allocate -> unbound --bind--> bound --first use of a one-shot key--> claimed --its message ends--> unbound
 *                  ^                |                                        |
 *                  '-- unbind, invalidate, the end of its queue pair --------'
 * </pre>
 *
 * <p>Values are random over all 32 bits, never 0, and one that died is not given out again while it is among the last
 * 65,536 that did (RFC 5040 section 8.1.1 [8], RFC 5042 section 6.2.2). The methods take the lock of {@link RegionTable};
 * checks do not.
 */
public final class RemoteKeys {

    /** Most keys of an RNIC, regions' own included. */
    public static final int MOST = RemoteKeyTable.MOST;

    private static final int KEY_ATTEMPTS = 1000;
    private static final int WRITING = RegionTable.bits(RegionTable.WRITING);
    private static final int BINDABLE =
            RegionTable.bits(List.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC));

    private final RandomSource random;
    private final Object lock;
    private final LocalKeyTable localKeys;
    private final RemoteKeyTable remoteKeys;
    private final RetiredKeys retired = new RetiredKeys();
    private int allocated;

    /** With the lock and the regions of a {@link RegionTable}. */
    RemoteKeys(RandomSource random, Object lock, LocalKeyTable localKeys, RemoteKeyTable remoteKeys) {
        this.random = random;
        this.lock = lock;
        this.localKeys = localKeys;
        this.remoteKeys = remoteKeys;
    }

    // Regions' own keys, under the lock.

    /** Refuses when there is no room for one more. */
    void checkRoom() {
        remoteKeys.makeRoom();
    }

    /** Gives a region another value. The old one is dead before the new one matches. */
    int renew(Region region) {
        int value = unusedValue();
        drop(region);
        RemoteKey key = region.key();
        remoteKeys.add(value, key);
        open(
                key,
                value,
                region,
                region.baseAddress(),
                0,
                region.length(),
                region.rightBits(),
                RemoteKey.ANY_QUEUE_PAIR);
        return value;
    }

    private void open(
            RemoteKey key, int value, Region region, long base, long offset, long length, int rights, int queuePair) {
        KeyLines lines = remoteKeys.lines();
        int all = key.oneShot() ? rights | KeyLines.ONE_SHOT : rights;
        lines.fields(value, region, base, offset, length, all, key.domain(), queuePair);
        key.target(region, queuePair);
        lines.open(value);
        key.bound(value);
    }

    /** A region's own key matches nothing any more. */
    void drop(Region region) {
        RegionState before = region.state();
        if (region.rkey() != 0) {
            end(region.key());
            region.advance(RegionState.INVALIDATED, before);
        }
    }

    /** Values in use. */
    int size() {
        return remoteKeys.size();
    }

    // For checks, without the lock.

    /** The key in the slot of a value, which may have another one now; or null. */
    @Nullable
    RemoteKey find(int value) {
        return remoteKeys.find(value);
    }

    /** The region that a value opens a part of now, or null. */
    @Nullable
    Region regionOf(int value) {
        RemoteKey key = find(value);
        return key != null && value != 0 && key.value() == value ? key.region() : null;
    }

    // The life of keys.

    /**
     * Ends a remote key, by a peer's Send with Invalidate or by local work: a region stays for local work, a bound key is
     * unbound. Whoever reports it done, as the completion of that Send does, waits for a {@link Settling} first when the
     * RNIC has several engines.
     *
     * @return OK, INVALID_KEY (also when it was invalidated before) or WRONG_DOMAIN
     */
    public Verdict invalidate(int rkey, int domain) {
        synchronized (lock) {
            RemoteKey key = bound(rkey);
            if (key == null) {
                return Verdict.INVALID_KEY;
            }
            if (key.domain() != domain) {
                return Verdict.WRONG_DOMAIN;
            }
            end(key);
            return Verdict.OK;
        }
    }

    /** The same for a peer, who may end keys that were bound for its queue pair, and regions' own. */
    public Verdict invalidateByPeer(int rkey, int domain, int queuePair) {
        synchronized (lock) {
            RemoteKey key = bound(rkey);
            if (key == null || !key.admits(queuePair)) {
                return Verdict.INVALID_KEY;
            }
            // A key for the whole domain serves other peers too: none of them ends it.
            if (key.queuePair() == RemoteKey.ANY_QUEUE_PAIR && !isRegions(key)) {
                return Verdict.NO_RIGHT;
            }
            return invalidate(rkey, domain);
        }
    }

    private static boolean isRegions(RemoteKey key) {
        Region region = key.region();
        return region != null && region.key() == key;
    }

    private @Nullable RemoteKey bound(int rkey) {
        RemoteKey key = rkey == 0 ? null : remoteKeys.exact(rkey);
        return key != null && key.value() == rkey ? key : null;
    }

    /** A key that was bound matches nothing any more. */
    private void end(RemoteKey key) {
        int value = key.value();
        Region region = key.region();
        remoteKeys.lines().close(value);
        key.unbound();
        if (!key.keepsValue()) {
            remoteKeys.remove(value);
            retired.add(value);
        }
        if (region != null && region.key() == key) {
            region.advance(RegionState.LIVE, RegionState.INVALIDATED);
        }
    }

    /**
     * AllocateRKey: a key that opens nothing yet.
     *
     * @param forOneQueuePair whether only the queue pair for which it is bound may use it
     * @param oneShot whether it dies with the first message that uses it
     * @param freshValue whether each bind gives it a new value
     * @param zeroBased whether peers name the first byte of its range 0
     */
    public RemoteKey allocate(
            int domain, boolean forOneQueuePair, boolean oneShot, boolean freshValue, boolean zeroBased) {
        synchronized (lock) {
            int value = unusedValue();
            RemoteKey key = new RemoteKey(domain, oneShot, !freshValue, forOneQueuePair, zeroBased);
            remoteKeys.add(value, key);
            key.promise(value);
            allocated++;
            return key;
        }
    }

    /**
     * The value that the next bind gives to a key: another one each time, or the same if the key keeps it. Until that
     * bind is done it matches nothing.
     *
     * @throws IllegalStateException when the key is deallocated
     */
    public int promise(RemoteKey key) {
        synchronized (lock) {
            checkAllocated(key);
            if (key.keepsValue()) {
                return key.lastPromised();
            }
            if (!key.firstValueTaken()) {
                return key.takeFirstValue();
            }
            int next = unusedValue();
            remoteKeys.add(next, key);
            key.promise(next);
            return next;
        }
    }

    private static void checkAllocated(RemoteKey key) {
        if (key.deallocated()) {
            throw new IllegalStateException("the key is deallocated");
        }
    }

    /**
     * The first half of a bind: checks it and ends what the key was bound to. Then {@link Settling} or {@link Revocation},
     * then {@link #bind}.
     *
     * @param value the value that the key is to have
     * @return OK; INVALID_KEY for a value that was not promised, or a region that is closed; WRONG_DOMAIN; NO_RIGHT for rights
     *     that the process does not have itself, or no BIND right; LOST; WRAPS and BOUNDS for a range that is not
     *     within the region
     */
    public Verdict beginBind(int value, int localKey, int domain, long offset, long length, int rights) {
        synchronized (lock) {
            return begin(remoteKeys.exact(value), value, localKeys.find(localKey), domain, offset, length, rights);
        }
    }

    private Verdict begin(
            @Nullable RemoteKey key,
            int value,
            @Nullable Region region,
            int domain,
            long offset,
            long length,
            int rights) {
        if (key == null || region == null || !key.keepsValue() && !key.hasPromised(value)) {
            return Verdict.INVALID_KEY;
        }
        if (key.domain() != domain || region.domain() != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        Verdict verdict = bindable(region, offset, length, rights);
        if (verdict.ok() && key.value() != 0) {
            end(key);
        }
        return verdict;
    }

    private static Verdict bindable(Region region, long offset, long length, int rights) {
        if (region.state() != RegionState.LIVE && region.state() != RegionState.INVALIDATED) {
            return region.state() == RegionState.LOST ? Verdict.LOST : Verdict.INVALID_KEY;
        }
        boolean writes = (rights & WRITING) != 0;
        if ((rights & ~BINDABLE) != 0
                || !region.allows(AccessRight.BIND)
                || writes && (region.gate() & rights & WRITING) == 0) {
            return Verdict.NO_RIGHT;
        }
        if (offset < 0 || length < 1 || offset > region.length() - length) {
            return Verdict.BOUNDS;
        }
        PagedRange pages = region.paged();
        return pages == null ? Verdict.OK : pages.checkMapped(offset, length, writes);
    }

    /**
     * The second half of a bind: from here on the key opens the range. The same arguments as before.
     *
     * @param queuePair for whom, if the key is for one queue pair
     * @return OK, or INVALID_KEY when key or region has gone since
     */
    public Verdict bind(int value, int localKey, int queuePair, long offset, long length, int rights) {
        synchronized (lock) {
            return finish(remoteKeys.exact(value), value, localKeys.find(localKey), queuePair, offset, length, rights);
        }
    }

    private Verdict finish(
            @Nullable RemoteKey key,
            int value,
            @Nullable Region region,
            int queuePair,
            long offset,
            long length,
            int rights) {
        if (key == null || region == null || key.value() != 0) {
            return Verdict.INVALID_KEY;
        }
        if (!key.keepsValue()) {
            redeem(key, value);
        }
        open(
                key,
                value,
                region,
                key.zeroBased() ? 0 : region.baseAddress() + offset,
                offset,
                length,
                rights,
                key.forOneQueuePair() ? queuePair : RemoteKey.ANY_QUEUE_PAIR);
        return Verdict.OK;
    }

    /** Both halves at once, for the only engine there is, which is not using what the key opened at this moment. */
    public Verdict bindAlone(int value, int localKey, int domain, int queuePair, long offset, long length, int rights) {
        synchronized (lock) {
            RemoteKey key = remoteKeys.exact(value);
            Region region = localKeys.find(localKey);
            Verdict verdict = begin(key, value, region, domain, offset, length, rights);
            return verdict.ok() ? finish(key, value, region, queuePair, offset, length, rights) : verdict;
        }
    }

    /** A promised value is used; older promises were for binds that failed. */
    private void redeem(RemoteKey key, int value) {
        int promised;
        while ((promised = key.takePromised()) != value) {
            if (promised == 0) {
                return;
            }
            remoteKeys.remove(promised);
            retired.add(promised);
        }
    }

    /**
     * UnbindRKey: the key opens nothing from here on. Then {@link Settling} or {@link Revocation}.
     *
     * @return OK, also when the value opens nothing; WRONG_DOMAIN
     */
    public Verdict unbind(int value, int domain) {
        synchronized (lock) {
            RemoteKey key = remoteKeys.exact(value);
            if (key == null) {
                return Verdict.OK;
            }
            if (key.domain() != domain) {
                return Verdict.WRONG_DOMAIN;
            }
            if (key.value() == value) {
                end(key);
            }
            return Verdict.OK;
        }
    }

    /** Whether a value is this key's, bound or promised, and not another key's by now. */
    public boolean isOf(RemoteKey key, int value) {
        return value != 0 && find(value) == key;
    }

    /** Whether a key is bound with just this value, to a region that is there. */
    public boolean isBound(int value) {
        RemoteKey key = find(value);
        if (value == 0 || key == null || key.value() != value) {
            return false;
        }
        Region region = key.region();
        return region != null && region.state() != RegionState.CLOSED;
    }

    /** The queue pair that a key with this value is bound for; 0 if none. */
    public int boundFor(int value) {
        RemoteKey key = find(value);
        return value != 0 && key != null && key.value() == value ? key.queuePair() : RemoteKey.ANY_QUEUE_PAIR;
    }

    /** The message that used a one-shot key is over: the key is dead. Nothing happens if it has been bound anew since. */
    public void used(int value, long message) {
        synchronized (lock) {
            RemoteKey key = bound(value);
            if (key != null && key.oneShot() && key.claimedBy(message)) {
                end(key);
            }
        }
    }

    /** DeallocateRKey: none of its values matches from here on. Then {@link Revocation}. */
    public void deallocate(RemoteKey key) {
        synchronized (lock) {
            checkAllocated(key);
            if (key.value() != 0) {
                end(key);
            }
            for (int value = key.takePromised(); value != 0; value = key.takePromised()) {
                remoteKeys.remove(value);
                retired.add(value);
            }
            key.markDeallocated();
            allocated--;
        }
    }

    /** Keys that were allocated and not deallocated; regions' own are not among them. */
    public int allocated() {
        synchronized (lock) {
            return allocated;
        }
    }

    private int unusedValue() {
        remoteKeys.makeRoom();
        for (int i = 0; i < KEY_ATTEMPTS; i++) {
            int key = random.nextInt();
            if (key != 0 && remoteKeys.fits(key) && !retired.mayContain(key)) {
                return key;
            }
        }
        throw new IllegalStateException("the source of randomness gave no new key in " + KEY_ATTEMPTS + " attempts");
    }
}
