package io.verbena.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.Verdict;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Accesses of a peer by remote keys, and the messages that use one-shot keys. */
class RemoteAccessTest {

    private static final int DOMAIN = 1;
    private static final int QUEUE_PAIR = 7;
    private static final int BYTES = 4096;
    private static final int RIGHTS = 1 << AccessRight.REMOTE_WRITE.ordinal() | 1 << AccessRight.REMOTE_READ.ordinal();

    private final RegionTable regions = new RegionTable(new SplittableRandom(3)::nextLong);
    private final Region first = region();
    private final Region second = region();
    private final RemoteAccess access = new RemoteAccess(context(regions));
    private final OneShotKeys messages = new OneShotKeys(regions, QUEUE_PAIR);
    private final Grant grant = new Grant();

    private Region region() {
        return regions.register(new OffHeapMemory().allocate(BYTES), DOMAIN, EnumSet.allOf(AccessRight.class));
    }

    private static QueuePairContext context(RegionTable regions) {
        CompletionRing ring = new CompletionRing(4);
        int stride = Wqe.strideBytes(1, 0);
        WorkQueues queues = new WorkQueues(
                QUEUE_PAIR, true, new WorkQueue(4, stride), new ReceiveQueue(new WorkQueue(4, stride)), ring, ring);
        return new QueuePairContext(queues, regions, DOMAIN, 0);
    }

    private Verdict write(int key, long message, long address, int length) {
        return access.check(key, message, address, length, AccessRight.REMOTE_WRITE, grant);
    }

    /** A one-shot key for the first 100 bytes of the first region. */
    private int oneShotKey() {
        RemoteKey key = regions.keys().allocate(DOMAIN, false, true, false, true);
        assertEquals(Verdict.OK, regions.keys().beginBind(key, first.localKey(), DOMAIN, 0, 100, RIGHTS));
        assertEquals(Verdict.OK, regions.keys().bind(key, first.localKey(), QUEUE_PAIR, 0, 100, RIGHTS));
        return regions.keys().valueOf(key);
    }

    @Test
    void twoGrants_ofOneAccess_keepTheirOwnResults() {
        Grant other = new Grant();
        assertEquals(
                Verdict.OK, access.check(first.rkey(), 1, first.baseAddress() + 5, 10, AccessRight.REMOTE_READ, grant));
        assertEquals(
                Verdict.OK,
                access.check(second.rkey(), 2, second.baseAddress() + 9, 10, AccessRight.REMOTE_WRITE, other));
        assertSame(first, grant.region());
        assertEquals(5, grant.offset());
        assertSame(second, other.region());
        assertEquals(9, other.offset());
        assertFalse(grant.oneShot());
    }

    @Test
    void refusedAccess_hasItsReason() {
        assertThrows(IllegalStateException.class, grant::region);
        assertEquals(Verdict.INVALID_KEY, write(first.rkey() ^ 1, 1, first.baseAddress(), 1));
        assertEquals(Verdict.BOUNDS, write(first.rkey(), 1, first.baseAddress() + BYTES, 1));
        assertEquals(Verdict.WRAPS, write(first.rkey(), 1, -1, 2));
    }

    @Test
    void oneShotKey_servesOneWriteUntilItEnds() {
        int key = oneShotKey();
        assertEquals(Verdict.INVALID_KEY, write(key, RemoteAccess.NO_MESSAGE, 0, 10), "no message claims it");
        assertEquals(Verdict.OK, write(key, messages.write(), 0, 10));
        assertTrue(grant.oneShot());
        assertTrue(messages.claimForWrite(key));
        assertEquals(Verdict.OK, write(key, messages.write(), 10, 90), "the same message again");
        assertEquals(Verdict.INVALID_KEY, write(key, messages.read(0), 0, 10), "another message");
        assertFalse(messages.claimForWrite(oneShotKey()), "a message has one key");
        messages.endWrite();
        assertEquals(Verdict.INVALID_KEY, write(key, messages.write(), 0, 10), "it ended with its message");
    }

    @Test
    void oneShotKeys_endWithReadsAtomicsAndTheConnection() {
        int read = oneShotKey();
        assertEquals(Verdict.OK, access.check(read, messages.read(3), 0, 8, AccessRight.REMOTE_READ, grant));
        messages.endRead(read, 2);
        assertEquals(Verdict.OK, access.check(read, messages.read(3), 0, 8, AccessRight.REMOTE_READ, grant));
        messages.endRead(read, 3);
        assertEquals(Verdict.INVALID_KEY, access.check(read, messages.read(3), 0, 8, AccessRight.REMOTE_READ, grant));
        int atomic = oneShotKey();
        assertEquals(Verdict.OK, write(atomic, messages.atomic(4), 0, 8));
        messages.endAtomic(atomic, 4);
        assertEquals(Verdict.INVALID_KEY, write(atomic, messages.atomic(4), 0, 8));
        int write = oneShotKey();
        assertEquals(Verdict.OK, write(write, messages.write(), 0, 8));
        assertTrue(messages.claimForWrite(write));
        messages.end();
        assertEquals(Verdict.INVALID_KEY, write(write, messages.write(), 0, 8));
    }

    @Test
    void messageNumbers_differByKindAndQueuePair() {
        assertNotEquals(messages.read(0), messages.atomic(0));
        assertNotEquals(messages.read(0), messages.write());
        assertNotEquals(messages.read(0), new OneShotKeys(regions, QUEUE_PAIR + 1).read(0));
        long before = messages.write();
        messages.end();
        assertEquals(before, messages.write(), "no Write had claimed a key");
        messages.endWrite();
        assertNotEquals(before, messages.write());
    }
}
