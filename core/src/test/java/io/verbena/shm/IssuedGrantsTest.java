package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import io.verbena.fixture.HeapBlocks;
import io.verbena.memory.Backing;
import io.verbena.port.GrantSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a connection keeps of the regions to which it has granted direct access. */
class IssuedGrantsTest {

    private static final int BYTES = 100_000;
    private static final int REGIONS = 50;

    private final HeapBlocks blocks = new HeapBlocks();
    private final ByteBuffer shared =
            ByteBuffer.allocateDirect(SharedLayout.bytes(GrantScene.RING)).order(ByteOrder.nativeOrder());
    private final DirectAccess direct = new DirectAccess(blocks, shared, true, true);
    private final RingWriter writer = new RingWriter(shared, true, GrantScene.RING);
    private final Map<Integer, Backing> byKey = new HashMap<>();

    private Optional<GrantSource.Terms> terms(int key) {
        return Optional.ofNullable(byKey.get(key))
                .map(own -> new GrantSource.Terms(
                        own.segment().address(), BYTES, 0, -1, own.grants().orElseThrow()));
    }

    private SharedGrants granted(int key) throws IOException {
        Backing own = blocks.allocate(BYTES);
        SharedGrants grants = own.grants().orElseThrow();
        grants.open(key, () -> {});
        byKey.put(key, own);
        direct.requested(key);
        assertTrue(direct.answer(writer));
        return grants;
    }

    /** The peer grants more regions, one after the other, than a connection can use at once, and revokes each before the next. */
    @Test
    void grantsThatWereRevoked_leaveTheirPlaces() throws IOException {
        assertTrue(direct.begin(this::terms));
        GrantRecord record = new GrantRecord();
        for (int key = 1; key <= SharedLayout.SLOTS + 3; key++) {
            Backing peers = blocks.allocate(BYTES);
            SharedGrants grants = peers.grants().orElseThrow();
            grants.open(key, () -> {});
            int slot = grants.issue(key, SharedGrants.NONE).orElseThrow().slot();
            GrantedMemory.Terms terms = new GrantedMemory.Terms(
                    key, 0, -1, slot, grants.issue(key, slot).orElseThrow().number());
            SharedBlock block = blocks.table().at(peers.segment().address(), BYTES);
            assertNull(direct.obtain(key, writer), "not requested yet");
            direct.answered(record.grant(terms, Objects.requireNonNull(block)));
            assertNotNull(direct.obtain(key, writer), "grant " + key + " is usable");
            grants.revoke(slot);
        }
        direct.close(false);
        assertEquals(0, blocks.direct);
    }

    /** A side requests one grant at a time. */
    @Test
    void secondRequest_beforeTheFirstIsAnswered_isAViolation() throws IOException {
        assertTrue(direct.begin(this::terms));
        direct.requested(7);
        assertThrows(IOException.class, () -> direct.requested(8));
        assertThrows(IOException.class, () -> direct.requested(7));
        assertTrue(direct.answer(writer));
        direct.requested(8);
    }

    @Test
    void regionsThatWereClosed_areForgotten() throws IOException {
        assertTrue(direct.begin(this::terms));
        SharedGrants kept = granted(1);
        for (int i = 0; i < REGIONS; i++) {
            granted(2 + i).close();
        }
        assertTrue(direct.issued() <= 2, () -> direct.issued() + " are kept");
        direct.revoke();
        assertTrue(direct.revoked());
        direct.close(false);
        assertTrue(kept.settled());
        assertEquals(0, blocks.direct);
    }
}
