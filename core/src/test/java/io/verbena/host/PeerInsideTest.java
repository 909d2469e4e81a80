package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import io.verbena.host.system.Machine;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.shm.SharedBlock;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An INLINE RNIC ends a region in the middle of a direct access of a peer. */
@Timeout(60)
class PeerInsideTest {

    private static final int BYTES = 100_000;
    private static final int DOMAINS = 8;
    private static final long PATIENCE_MS = 30;

    private final SocketRnic rnic =
            (SocketRnic) Rnic.open(RnicOptions.defaults().withProvider("shm").withProgress(Progress.INLINE));
    private final MemoryRegion region =
            rnic.allocateProtectionDomain().allocate(BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);

    @BeforeEach
    void needsLinux() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    @AfterEach
    void close() {
        rnic.close();
    }

    /** What a peer has that was granted access to the region. */
    private GrantedMemory peer() {
        RegionTable table = rnic.context().regions();
        Region own = IntStream.range(0, DOMAINS)
                .mapToObj(domain -> table.grantable(region.rkey(), domain))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow();
        SharedGrants.Issued issued = own.grants()
                .orElseThrow()
                .issue(region.rkey(), SharedGrants.NONE)
                .orElseThrow();
        MemorySegment page = MemorySegment.ofAddress(own.segment().address() + SharedBlock.nonceAt(BYTES))
                .reinterpret(SharedGrants.PAGE_BYTES);
        return new GrantedMemory(
                own.segment(),
                page,
                new GrantedMemory.Terms(region.rkey(), region.address(), -1, issued.slot(), issued.number()));
    }

    /** Another thread than the owner of the RNIC closes something, and the peer leaves later. */
    private void closedElsewhere(Runnable close) throws InterruptedException {
        GrantedMemory peer = peer();
        assertTrue(peer.enter());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread stranger = new Thread(() -> {
            try {
                close.run();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        stranger.start();
        stranger.join(PATIENCE_MS);
        boolean returned = !stranger.isAlive();
        peer.leave();
        stranger.join();
        assertEquals(null, failure.get());
        assertFalse(returned, "it returned while the peer was inside");
    }

    @Test
    void region_closedByAnotherThread_peerInside_returnsWhenItHasLeft() throws InterruptedException {
        closedElsewhere(region::close);
    }

    @Test
    void key_renewedByAnotherThread_peerInside_returnsWhenItHasLeft() throws InterruptedException {
        closedElsewhere(region::renewKey);
        assertTrue(region.valid());
    }
}
