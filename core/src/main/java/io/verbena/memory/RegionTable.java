package io.verbena.memory;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import io.verbena.verbs.AccessRight;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The regions of one RNIC and their keys. Engines look up keys without a lock and without allocation
 * ({@link AccessCheck}); one lock orders registration, deregistration, renewal and invalidation.
 *
 * <p>Remote keys are random over all 32 bits, never 0, and a retired key is not reused while it is among the last
 * 65,536 retired ones (RFC 5040 section 8.1.1 [8], RFC 5042 section 6.2.2). The addresses for peers are assigned here
 * too: each region starts at a multiple of 64 KiB above 4 GiB (plus the lowest three bits of its native address, see
 * {@link Region}), after a random gap, so that an access beyond the end of a region matches nothing.
 *
 * <p>When a method returns, the old key matches no check that begins later. An engine that checked before may still be
 * copying; {@link Revocation} waits for that.
 */
public final class RegionTable {

    /** Maximum number of regions of a table. */
    public static final int MAX_REGIONS = LocalKeyTable.MAX_INDEX;

    private static final long LOWEST_ADDRESS = 1L << 32;
    private static final long ADDRESS_STEP = 1 << 16;
    private static final int GAP_STEPS = 16;

    private final RandomSource random;
    private final int maxRegions;
    private final Object lock = new Object();
    private final LocalKeyTable localKeys = new LocalKeyTable();
    private final RemoteKeyTable remoteKeys = new RemoteKeyTable();
    private final PeersInside peers = new PeersInside();
    private final RemoteKeys keys;
    private long nextAddress;
    private volatile EngineEpoch[] epochs = {};

    /** Creates a table for up to {@link #MAX_REGIONS} regions. */
    public RegionTable(RandomSource random) {
        this(random, MAX_REGIONS);
    }

    /**
     * Creates a table for up to {@code maxRegions} regions. The source of randomness is used under the lock of the
     * table only.
     */
    public RegionTable(RandomSource random, int maxRegions) {
        if (maxRegions < 1 || maxRegions > MAX_REGIONS) {
            throw new IllegalArgumentException("a table is limited to " + MAX_REGIONS + " regions, not " + maxRegions);
        }
        this.random = random;
        this.maxRegions = maxRegions;
        keys = new RemoteKeys(random, lock, localKeys, remoteKeys, peers);
        nextAddress = LOWEST_ADDRESS + gap();
    }

    /**
     * Registers memory of the user, which remains the property of the user.
     *
     * @throws IllegalArgumentException if the RNIC cannot access the memory: on the Java heap, confined to one thread,
     *     closed, empty, or read-only although a right requires writing
     * @throws IllegalStateException if the table is full
     */
    public Region register(MemorySegment segment, int domain, Set<AccessRight> rights) {
        return register(Backing.ofUser(segment), domain, rights);
    }

    /** Registers memory that the region owns from now on; otherwise as the other method. */
    public Region register(Backing backing, int domain, Set<AccessRight> rights) {
        MemorySegment segment = backing.segment();
        RegistrationRules.check(segment, rights);
        synchronized (lock) {
            checkRoom();
            long address = takeAddress(segment.address() & 7, segment.byteSize());
            return enter(new Region(backing, address, domain, RegistrationRules.bits(rights), localKeys.nextKey()));
        }
    }

    /**
     * Registers a range of a pageable address space.
     *
     * @param zeroBased whether peers address the bytes by their offsets, as they do if the offsets are effective
     *     addresses
     */
    public Region register(PagedRange pages, boolean zeroBased, int domain, Set<AccessRight> rights) {
        synchronized (lock) {
            checkRoom();
            long address = zeroBased ? 0 : takeAddress(pages.lowestBits(), pages.length());
            return enter(new Region(pages, address, domain, RegistrationRules.bits(rights), localKeys.nextKey()));
        }
    }

    private void checkRoom() {
        if (localKeys.size() == maxRegions) {
            throw new IllegalStateException(
                    "all " + maxRegions + " memory regions of this RNIC are in use; close some first");
        }
    }

    private Region enter(Region region) {
        remoteKeys.makeRoom();
        localKeys.add(region);
        keys.renew(region);
        return region;
    }

    /**
     * Deregisters a region: none of its keys matches any more. Then wait for a {@link Revocation} and call
     * {@link Region#release()}.
     *
     * @throws IllegalStateException if the region was deregistered before
     */
    public void deregister(Region region) {
        synchronized (lock) {
            if (localKeys.find(region.localKey()) != region) {
                throw new IllegalStateException("the region is already closed");
            }
            keys.drop(region);
            region.closed();
            localKeys.remove(region);
        }
    }

    /** {@link RemoteKeys#invalidate}. */
    public Verdict invalidate(int rkey, int domain) {
        return keys.invalidate(rkey, domain);
    }

    /** All remote keys: regions' own and those that are bound to parts of regions. */
    public RemoteKeys keys() {
        return keys;
    }

    // Peers that access memory without an engine.

    /**
     * The region whose own key a peer names, if the peer may be granted access without an engine. A grant that is issued for
     * this key is revoked when the key ends.
     */
    public Optional<Region> grantable(int rkey, int domain) {
        return Optional.ofNullable(keys.regionOf(rkey))
                .filter(region -> region.rkey() == rkey
                        && region.domain() == domain
                        && region.pinned()
                        && region.state() == RegionState.LIVE
                        && region.grants().isPresent());
    }

    /** Begins to wait for the peers that access memory without an engine, by a key that has ended. */
    public PeersLeaving peersLeaving() {
        return peers.leaving();
    }

    // Several engines.

    /** The epochs of the engines that use this table; before they run. */
    public void engines(List<EngineEpoch> all) {
        epochs = all.toArray(EngineEpoch[]::new);
    }

    /** A wait of one of them for the others. */
    public Settling settling(int engine) {
        EngineEpoch[] all = epochs;
        EngineEpoch[] others = new EngineEpoch[Math.max(0, all.length - 1)];
        for (int i = 0, n = 0; n < others.length; i++) {
            if (i != engine) {
                others[n++] = all[i];
            }
        }
        return new Settling(others);
    }

    /**
     * Assigns a new remote key to a region, also if the old one was invalidated. The old key is invalid before the new
     * one matches.
     *
     * @return the new key
     * @throws IllegalStateException if the region is closed or its memory is lost
     */
    public int renewKey(Region region) {
        synchronized (lock) {
            switch (region.state()) {
                case CLOSED -> throw new IllegalStateException("the region is closed and cannot get a new key");
                case LOST -> throw new IllegalStateException("the region cannot get a new key: " + region.lostReason());
                case LIVE, INVALIDATED -> {}
            }
            int value = keys.renew(region);
            region.advance(RegionState.INVALIDATED, RegionState.LIVE);
            return value;
        }
    }

    /** Regions that are registered. */
    public int size() {
        synchronized (lock) {
            return localKeys.size();
        }
    }

    /** Remote keys that match. */
    public int remoteKeyCount() {
        synchronized (lock) {
            return remoteKeys.size();
        }
    }

    /** A digest of every region and its keys. Costs a walk over the table. */
    public long stateDigest() {
        synchronized (lock) {
            long digest = Digest.mix(localKeys.size(), nextAddress);
            for (int index = 1; index <= localKeys.lastIndex(); index++) {
                Region region = localKeys.atIndex(index);
                if (region != null) {
                    digest = region.stateDigest(digest);
                }
            }
            return digest;
        }
    }

    /** What checks read of remote keys. */
    long[] keyLines() {
        return remoteKeys.lines().words();
    }

    /** Whether a one-shot key is reserved for a message, from now on or already; see {@link RemoteKey#claimFor}. */
    boolean claim(int rkey, long message) {
        RemoteKey key = remoteKeys.find(rkey);
        // The slot may belong to another key already. During the turn of this engine it is not bound again (Settling).
        return key != null && key.value() == rkey && key.claimFor(message);
    }

    /** The region that a remote key opens a part of now, or null. */
    @Nullable
    Region findRemote(int rkey) {
        return keys.regionOf(rkey);
    }

    /**
     * The region that a key was bound to, or null if it has been closed since; see
     * {@link LocalKeyTable#find(int, long)}.
     */
    @Nullable
    Region findBound(int localKey, long serial) {
        return localKeys.find(localKey, serial);
    }

    /** The region that a local key names, or null. */
    @Nullable
    Region findLocal(int localKey) {
        return localKeys.find(localKey);
    }

    private long takeAddress(long lowestBits, long bytes) {
        long address = nextAddress + lowestBits;
        long end = Math.addExact(address, bytes);
        nextAddress = Math.addExact(end, ADDRESS_STEP - 1 & -end) + gap();
        return address;
    }

    private long gap() {
        return (1 + random.nextInt(GAP_STEPS)) * ADDRESS_STEP;
    }
}
