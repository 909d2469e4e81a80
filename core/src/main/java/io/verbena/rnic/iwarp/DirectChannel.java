package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.GrantedMemory;
import io.verbena.iwarp.DirectPath;
import io.verbena.iwarp.IwarpStream;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RegistrationRules;
import io.verbena.port.GrantSource;
import io.verbena.port.PeerMemory;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.QueuePair;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Direct access of the two sides of a connection to memory of each other, between its {@link IwarpStream} and the stream that
 * carries it. It decides what the peer is granted: regions by their own keys, within the rights of the region and of the queue
 * pair. Keys that are bound to parts of regions and regions of pageable memory are left to the engine.
 */
final class DirectChannel implements DirectPath {

    private static final int NO_KEY = 0;

    private final PeerMemory memory;
    private final IwarpStream rdma;
    private final RegionTable regions;
    private final int domain;
    private boolean revoked;
    private int wantedKey = NO_KEY;

    private DirectChannel(PeerMemory memory, IwarpStream rdma, RnicContext context, int domain) {
        this.memory = memory;
        this.rdma = rdma;
        this.regions = context.regions();
        this.domain = domain;
    }

    /** Begins direct access, if the stream has it and both sides were opened for it. */
    static Optional<DirectChannel> begin(Optional<PeerMemory> memory, IwarpStream rdma, QueuePairEndpoint queuePair) {
        int domain = queuePair.workContext().domain();
        Optional<DirectChannel> created = memory.map(it -> new DirectChannel(it, rdma, queuePair.context(), domain))
                .filter(it -> it.memory.begin(it::terms));
        created.ifPresent(rdma::direct);
        return created;
    }

    private Optional<GrantSource.Terms> terms(int key) {
        if (revoked || rdma.ending().isPresent()) {
            return Optional.empty();
        }
        return regions.grantable(key, domain).map(this::terms);
    }

    private GrantSource.Terms terms(Region region) {
        return new GrantSource.Terms(
                region.segment().address(),
                region.length(),
                region.baseAddress(),
                rdma.peerRightBits() & RegistrationRules.bits(region.rights()),
                region.grants().orElseThrow());
    }

    /** Ends all grants. Returns whether the peer accesses nothing any more; to be called again if it does. */
    boolean end() {
        if (!revoked) {
            revoked = true;
            memory.revoke();
        }
        return memory.revoked();
    }

    /** Whether the peer accesses nothing since it lost a part of its rights, or since the stream was closed. */
    boolean left() {
        return memory.revoked();
    }

    /** Reports to the peer that everything that was read so far has been processed. */
    void reportProcessed() {
        memory.reportProcessed();
    }

    /**
     * Reads a channel once into memory of the peer now, outside of a turn, where the stream cannot be used: a peer that
     * sleeps is not woken. Returns {@link QueuePair#IMPOSSIBLE} if the channel was not read. If there is no grant,
     * {@link #request} asks for one.
     */
    int write(ByteSource source, int most, long address, int key) throws IOException {
        GrantedMemory granted = memory.known(key);
        wantedKey = granted == null ? key : NO_KEY;
        if (granted == null
                || !granted.permits(address, most, 1 << AccessRight.REMOTE_WRITE.ordinal())
                || !granted.enter()) {
            return QueuePair.IMPOSSIBLE;
        }
        boolean live;
        int bytes;
        try {
            bytes = source.read(granted.piece(address, most));
            live = granted.live();
        } finally {
            granted.leave();
        }
        if (bytes > 0 && !live) {
            throw new IOException("The peer has closed its memory while " + bytes + " bytes were read into it.");
        }
        return bytes;
    }

    /** Asks for the grant that {@link #write} did not have. */
    void request() {
        if (wantedKey != NO_KEY) {
            memory.obtain(wantedKey);
            wantedKey = NO_KEY;
        }
    }

    /** A hash of the state that determines further behaviour. */
    long stateDigest() {
        return Digest.mix(wantedKey, revoked ? 1 : 0);
    }

    @Override
    public @Nullable GrantedMemory obtain(int key) {
        return memory.obtain(key);
    }

    @Override
    public @Nullable GrantedMemory known(int key) {
        return memory.known(key);
    }

    @Override
    public boolean refused(int key) {
        return memory.refused(key);
    }

    @Override
    public boolean settled() {
        return memory.settled();
    }

    @Override
    public long written() {
        return memory.written();
    }

    @Override
    public boolean awaitSettled() {
        return memory.awaitSettled();
    }

    @Override
    public void changed() {
        memory.changed();
    }

    @Override
    public void revoke() {
        memory.revoke();
    }
}
