package io.verbena.memory;

import io.verbena.base.RandomSource;
import io.verbena.verbs.RemoteRegion;
import org.jspecify.annotations.Nullable;

/**
 * All remote keys of one RNIC: one for each region, and those that are allocated and bound to parts of regions.
 * {@link KeyLines} contains their bindings, {@link RemoteKeyTable} finds them; this class implements their life cycle.
 *
 * <pre>
 *   allocate -> unbound --bind--> bound --first use of a one-shot key--> claimed --its message ends--> unbound
 *                  ^                |                                        |
 *                  '-- unbind, invalidate, the end of its queue pair --------'
 * </pre>
 *
 * <p>The methods take the lock of {@link RegionTable}; checks do not.
 */
public final class RemoteKeys {

    /** Most keys of an RNIC, regions' own included. */
    public static final int MOST = RemoteKeyTable.MOST;

    private static final RemoteRegion NOTHING = new RemoteRegion(0, 0, 0);

    private final Object lock;
    private final LocalKeyTable localKeys;
    private final RemoteKeyTable remoteKeys;
    private final KeyValues values;
    private final PeersInside peers;
    private int allocated;

    /** With the lock and the regions of a {@link RegionTable}. */
    RemoteKeys(
            RandomSource random, Object lock, LocalKeyTable localKeys, RemoteKeyTable remoteKeys, PeersInside peers) {
        this.peers = peers;
        this.lock = lock;
        this.localKeys = localKeys;
        this.remoteKeys = remoteKeys;
        values = new KeyValues(random);
    }

    // Regions' own keys, under the lock.

    /** Assigns a new value to the key of a region. The old value is invalid before the new one matches. */
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
        peers.open(region.grants(), value, region::markLost);
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

    /** The key of a region matches nothing any more. */
    void drop(Region region) {
        RegionState before = region.state();
        if (region.rkey() != 0) {
            end(region.key());
            region.advance(RegionState.INVALIDATED, before);
        }
    }

    // For checks, without the lock.

    /** The region that a value opens a part of now, or null. */
    @Nullable
    Region regionOf(int value) {
        RemoteKey key = remoteKeys.find(value);
        return key != null && value != 0 && key.value() == value ? key.region() : null;
    }

    // The life cycle of keys.

    /**
     * Invalidates a remote key, by a Send with Invalidate of a peer or by local work: a region remains usable for local
     * work, a bound key is unbound. If the RNIC has several engines, the caller waits for a {@link Settling} before it
     * reports the invalidation, such as by the completion of that Send.
     *
     * @return OK, INVALID_KEY (also if it was invalidated before) or WRONG_DOMAIN
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

    /** Invalidates a key for a peer, which may invalidate keys bound for its queue pair and keys of regions. */
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

    /** Ends the binding of a key: it matches nothing any more. */
    private void end(RemoteKey key) {
        int value = key.value();
        Region region = key.region();
        remoteKeys.lines().close(value);
        key.unbound();
        discard(key, value);
        if (region != null && region.key() == key) {
            region.advance(RegionState.LIVE, RegionState.INVALIDATED);
            peers.revoke(region.grants());
        }
    }

    /** Retires a value that a key had or was to get; another key may get it later. */
    private void discard(RemoteKey key, int value) {
        if (value != key.identity()) {
            remoteKeys.remove(value);
            values.retire(value);
        }
    }

    /**
     * AllocateRKey: creates an unbound key.
     *
     * @param forOneQueuePair whether only the queue pair for which it is bound may use it
     * @param oneShot whether the first message that uses it invalidates it
     * @param freshValue whether each bind assigns a new value
     * @param zeroBased whether peers address the first byte of the bound range as 0
     */
    public RemoteKey allocate(
            int domain, boolean forOneQueuePair, boolean oneShot, boolean freshValue, boolean zeroBased) {
        synchronized (lock) {
            int value = unusedValue();
            RemoteKey key = new RemoteKey(value, domain, oneShot, !freshValue, forOneQueuePair, zeroBased);
            remoteKeys.add(value, key);
            allocated++;
            return key;
        }
    }

    /**
     * Records a posted bind and returns the value that it will assign to the key: a new one each time, or the same one
     * if the key keeps it. Until the bind is executed the value matches nothing new.
     *
     * @param queuePair number of the queue pair whose send queue receives the work; {@link #flushed} is called with it
     *     if the work is not executed
     * @param address the address of the first byte for peers
     * @throws IllegalStateException if the key is deallocated
     */
    public int promise(RemoteKey key, int queuePair, long address, long length) {
        synchronized (lock) {
            checkAllocated(key);
            int value = nextValue(key);
            key.posted().add(value, queuePair, address, length, key.nextSequence());
            return value;
        }
    }

    /** Records a posted unbind, which ends the binding at that time, unless a bind posted later is executed first. */
    public void promiseUnbind(RemoteKey key, int queuePair) {
        synchronized (lock) {
            checkAllocated(key);
            key.posted().add(PostedBinds.UNBIND, queuePair, 0, 0, key.nextSequence());
        }
    }

    private int nextValue(RemoteKey key) {
        int value = key.identity();
        if (!key.takeFirstValue() && !key.keepsValue()) {
            value = unusedValue();
            remoteKeys.add(value, key);
        }
        key.lastValue(value);
        return value;
    }

    /** A queue pair has ended: its posted binds and unbinds are flushed, and what was bound for its peer ends. */
    public void flushed(RemoteKey key, int queuePair) {
        synchronized (lock) {
            PostedBinds posted = key.posted();
            for (int i = posted.count() - 1; i >= 0; i--) {
                if (posted.queuePair(i) == queuePair) {
                    forget(key, i);
                }
            }
            if (key.forOneQueuePair() && key.value() != 0 && key.queuePair() == queuePair) {
                end(key);
            }
        }
    }

    /** Posted work will not be done. */
    private void forget(RemoteKey key, int index) {
        int value = key.posted().value(index);
        key.posted().remove(index);
        if (value != PostedBinds.UNBIND) {
            discard(key, value);
        }
    }

    private static void checkAllocated(RemoteKey key) {
        if (key.deallocated()) {
            throw new IllegalStateException("the key is deallocated");
        }
    }

    /**
     * The first half of a bind: checks it and ends the previous binding. Then {@link Settling} or {@link Revocation},
     * then {@link #bind}.
     *
     * @param value the value that the key will have
     * @return OK; INVALID_KEY for a value that was not assigned to a posted bind, or a closed region; WRONG_DOMAIN;
     *     NO_RIGHT for rights that the process does not have itself, or a missing BIND right; LOST; WRAPS and BOUNDS
     *     for a range that is not within the region
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
        if (key == null || region == null || !key.posted().has(value)) {
            return Verdict.INVALID_KEY;
        }
        return begin(key, region, domain, offset, length, rights);
    }

    private Verdict begin(RemoteKey key, Region region, int domain, long offset, long length, int rights) {
        if (key.domain() != domain || region.domain() != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        Verdict verdict = BindRules.check(region, offset, length, rights);
        if (verdict.ok() && key.value() != 0) {
            end(key);
        }
        return verdict;
    }

    /**
     * The second half of a bind: from now on the key grants access to the range. Same arguments as for the first half.
     *
     * @param queuePair the queue pair that the bind was posted to; its peer may use a key for one queue pair
     * @return OK, or INVALID_KEY if the key or region has been closed since
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
        int posted = key == null ? -1 : key.posted().find(value, queuePair);
        if (key == null || region == null || posted < 0 || key.value() != 0) {
            return Verdict.INVALID_KEY;
        }
        key.boundSequence(key.posted().sequence(posted));
        key.posted().remove(posted);
        openPart(key, value, region, queuePair, offset, length, rights);
        return Verdict.OK;
    }

    private void openPart(
            RemoteKey key, int value, Region region, int queuePair, long offset, long length, int rights) {
        open(
                key,
                value,
                region,
                key.zeroBased() ? 0 : region.baseAddress() + offset,
                offset,
                length,
                rights,
                key.forOneQueuePair() ? queuePair : RemoteKey.ANY_QUEUE_PAIR);
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

    /**
     * The first half of a bind that was not posted; see {@link #beginBind(int, int, int, long, long, int)}. A refused
     * bind leaves the key unchanged.
     */
    public Verdict beginBind(RemoteKey key, int localKey, int domain, long offset, long length, int rights) {
        synchronized (lock) {
            checkAllocated(key);
            Region region = localKeys.find(localKey);
            if (region == null) {
                return Verdict.INVALID_KEY;
            }
            remoteKeys.makeRoom();
            return begin(key, region, domain, offset, length, rights);
        }
    }

    /**
     * The second half of a bind that was not posted. Same arguments as for the first half.
     *
     * @param queuePair the queue pair whose peer may use the key, if the key is for one queue pair
     * @return OK, or INVALID_KEY if the region has been closed or the key has been bound since
     */
    public Verdict bind(RemoteKey key, int localKey, int queuePair, long offset, long length, int rights) {
        synchronized (lock) {
            checkAllocated(key);
            Region region = localKeys.find(localKey);
            if (region == null || key.value() != 0) {
                return Verdict.INVALID_KEY;
            }
            key.boundSequence(key.nextSequence());
            openPart(key, nextValue(key), region, queuePair, offset, length, rights);
            return Verdict.OK;
        }
    }

    /** UnbindRKey, not posted: the key opens nothing from here on, whatever it opened. Then {@link Revocation}. */
    public void unbind(RemoteKey key) {
        synchronized (lock) {
            if (key.value() != 0) {
                end(key);
            }
        }
    }

    /**
     * UnbindRKey, posted by {@link #promiseUnbind}: ends what the key is bound to by a bind that was posted before.
     * Then {@link Settling}.
     *
     * @param identity of the key
     * @return OK, also when the key opens nothing or is deallocated; WRONG_DOMAIN
     */
    public Verdict unbind(int identity, int domain, int queuePair) {
        synchronized (lock) {
            RemoteKey key = remoteKeys.exact(identity);
            int posted = key == null ? -1 : key.posted().find(PostedBinds.UNBIND, queuePair);
            if (key == null || posted < 0) {
                return Verdict.OK;
            }
            if (key.domain() != domain) {
                return Verdict.WRONG_DOMAIN;
            }
            long sequence = key.posted().sequence(posted);
            key.posted().remove(posted);
            if (key.value() != 0 && key.boundSequence() <= sequence) {
                end(key);
            }
            return Verdict.OK;
        }
    }

    /**
     * The range of a key as a peer should use it: the result of the bind or unbind posted last, if that is incomplete
     * and no other bind was executed since; otherwise the current binding. Length 0 if unbound.
     */
    public RemoteRegion remote(RemoteKey key) {
        synchronized (lock) {
            PostedBinds posted = key.posted();
            int last = posted.count() - 1;
            if (last < 0 || isBound(key) && key.boundSequence() > posted.sequence(last)) {
                return bound(key);
            }
            return posted.value(last) == PostedBinds.UNBIND
                    ? NOTHING
                    : new RemoteRegion(posted.address(last), Math.max(0, posted.length(last)), posted.value(last));
        }
    }

    /** The current binding of a key as a peer should use it; length 0 if unbound. */
    public RemoteRegion bound(RemoteKey key) {
        synchronized (lock) {
            if (!isBound(key)) {
                return NOTHING;
            }
            long[] lines = remoteKeys.lines().words();
            int at = KeyLines.at(lines, key.value());
            return new RemoteRegion(KeyLines.baseAddress(lines, at), KeyLines.length(lines, at), key.value());
        }
    }

    /** The value of {@link #remote}, or if that is nothing the one that the key had or was to have last. */
    public int valueOf(RemoteKey key) {
        synchronized (lock) {
            RemoteRegion shown = remote(key);
            if (shown.rkey() != 0) {
                return shown.rkey();
            }
            return key.value() != 0 ? key.value() : key.lastValue();
        }
    }

    /** Whether a key is bound to a region that is accessible. */
    public boolean isBound(RemoteKey key) {
        Region region = key.region();
        return key.value() != 0 && region != null && region.state() != RegionState.CLOSED;
    }

    /**
     * The message that used a one-shot key has ended: the key is invalidated. Has no effect if the key has been bound
     * again since.
     */
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
            while (key.posted().count() > 0) {
                forget(key, 0);
            }
            remoteKeys.remove(key.identity());
            values.retire(key.identity());
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
        return values.draw(remoteKeys::fits);
    }
}
