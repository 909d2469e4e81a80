package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import io.verbena.fixture.HeapBlocks;
import io.verbena.memory.Backing;
import io.verbena.port.GrantSource;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;

/**
 * A side of a connection with direct access whose peer writes anything: grants that were not requested or are impossible, requests,
 * loans, and the words of both sides. What the peer does is chosen by numbers below a bound, such as those of a fuzzer.
 */
final class GrantScene {

    static final int RING = 16 * 1024;

    private static final int GUARD = 4096;
    private static final int KEY = 0x1234_5678;
    private static final int REGIONS = 3;
    private static final int BYTES = 5000;
    private static final int KEYS = 7;

    /** The memory of the connection, which the peer may change. */
    final ByteBuffer shared;

    private final ByteBuffer whole = ByteBuffer.allocateDirect(SharedLayout.bytes(RING) + 2 * GUARD);
    private final ByteBuffer target = ByteBuffer.allocateDirect(3 * GUARD);
    private final HeapBlocks blocks = new HeapBlocks();
    private final AtomicLong clockNs = new AtomicLong(Long.MAX_VALUE);
    private final Backing own;
    private final DirectAccess direct;
    private final RingReader reader;
    private final RingWriter writer;
    private final IntUnaryOperator choice;
    private final ByteBuffer record =
            ByteBuffer.allocateDirect(GrantRecord.LENGTH).order(ByteOrder.nativeOrder());

    /** Where the next record of the peer is. */
    private long position;

    private int slot;

    /** The key that this side has requested and that is not granted; 0 if there is none. */
    private int asked;

    /** Accesses that were made; so a test sees that there are any. */
    int accesses;

    GrantScene(IntUnaryOperator choice) {
        this.choice = choice;
        shared = whole.slice(GUARD, SharedLayout.bytes(RING)).order(ByteOrder.nativeOrder());
        blocks.clock = clockNs::get;
        own = blocks.allocate(BYTES);
        for (int i = 1; i < REGIONS; i++) {
            blocks.allocate(BYTES);
        }
        direct = new DirectAccess(blocks, shared, true, true);
        reader = new RingReader(shared, true, RING, new Borrower(blocks, shared, true), direct);
        writer = new RingWriter(shared, true, RING);
        SharedGrants grants = own.grants().orElseThrow();
        grants.open(KEY, () -> {});
        assertTrue(direct.begin(key -> key == KEY
                ? Optional.of(new GrantSource.Terms(own.segment().address(), BYTES, 1L << 32, -1, grants))
                : Optional.empty()));
    }

    /** Runs until the connection ends, or for this number of steps. Then everything is given back. */
    void run(int steps) {
        try {
            for (int i = 0; i < steps; i++) {
                disturb();
                use();
            }
        } catch (IOException e) {
            assertTrue(e.toString().contains("The peer "), e.toString());
        }
        direct.revoke();
        direct.revoked();
        clockNs.addAndGet(SharedGrants.BOUND_NS);
        assertTrue(direct.revoked(), "the wait for the peer is bounded");
        direct.close(false);
        assertEquals(0, blocks.direct);
        for (int i = 0; i < GUARD; i++) {
            assertEquals(0, whole.get(i));
            assertEquals(0, whole.get(GUARD + shared.capacity() + i));
            assertEquals(0, target.get(i));
            assertEquals(0, target.get(2 * GUARD + i));
        }
    }

    // The peer.

    private int one(int bound) {
        return choice.applyAsInt(bound);
    }

    private long anyLong() {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = bits << Byte.SIZE | one(256);
        }
        return bits;
    }

    /** A number that is more often near a limit. */
    private long edge() {
        return switch (one(6)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE - one(16);
            case 2 -> Long.MIN_VALUE + one(16);
            case 3 -> -one(200);
            case 4 -> one(200);
            default -> anyLong();
        };
    }

    private void disturb() {
        switch (one(64)) {
            case 0 -> loan(one(6), (int) edge());
            case 1 -> shared.putLong(SharedLayout.word(false, 8 * one(32)), edge());
            case 2 -> grant((int) edge());
            case 3, 4, 5, 6, 7, 8 -> word(one(REGIONS));
            case 9, 10 -> own.grants().orElseThrow().revoke(0);
            case 11, 12, 13, 14 -> loan(LoanRecord.REQUEST, one(30) == 0 ? (int) edge() : KEY);
            default -> {
                if (asked != 0) {
                    grant(asked);
                    asked = 0;
                }
            }
        }
    }

    /** A word of the page of a region, which the peer has mapped as well. */
    private void word(int region) {
        try {
            SharedBlocks.Shared mapped = blocks.openShared(1, region, BYTES, region + 1, BYTES);
            mapped.page()
                    .set(ValueLayout.JAVA_LONG, 8L * one(SharedGrants.PAGE_BYTES / 8), one(2) == 0 ? one(9) : edge());
            mapped.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void grant(int key) {
        int region = 1 + one(REGIONS - 1);
        record.putInt(0, key);
        record.putInt(4, one(4) == 0 ? (int) edge() : one(SharedGrants.SLOTS + 1));
        record.putInt(8, one(6) == 0 ? (int) edge() : BYTES);
        record.putInt(12, one(6) == 0 ? (int) edge() : region);
        record.putLong(16, one(6) == 0 ? edge() : 1);
        record.putLong(24, one(6) == 0 ? edge() : region + 1);
        record.putLong(32, BYTES);
        record.putLong(40, one(2) == 0 ? edge() : 1L << 32);
        record.putLong(48, edge());
        record.putInt(56, one(4) == 0 ? (int) edge() : -1);
        publish(GrantRecord.LENGTH);
        if (one(2) == 0) {
            // The grant is valid.
            long number = record.getLong(48);
            int at = (record.getInt(4) % SharedGrants.SLOTS + 1) * 64;
            try {
                SharedBlocks.Shared mapped = blocks.openShared(1, region, BYTES, region + 1, BYTES);
                mapped.page().set(ValueLayout.JAVA_LONG, Math.max(0, at), number);
                mapped.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void loan(int kind, int key) {
        record.putInt(0, kind);
        record.putInt(4, key);
        record.putInt(8, (int) edge());
        record.putInt(12, (int) edge());
        record.putLong(16, edge());
        publish(LoanRecord.LENGTH);
    }

    private void publish(int length) {
        int base = SharedLayout.ring(false, RING);
        int occupied = SharedLayout.occupied(length);
        if (slot + occupied > RING) {
            write(base, RING - slot - SharedLayout.HEADER, 0);
        }
        shared.put(base + slot + SharedLayout.HEADER, record, 0, length);
        write(base, length, SharedLayout.LOAN);
    }

    private void write(int base, int length, int flags) {
        int at = base + slot;
        int occupied = SharedLayout.occupied(length);
        slot = (slot + occupied) % RING;
        shared.putLong(base + slot, 0);
        shared.putLong(at, SharedLayout.header(position, length | flags));
        position += occupied;
    }

    // This side.

    private void use() throws IOException {
        int got = reader.read(target, GUARD, 1 + one(GUARD));
        assertTrue(got >= 0 && got <= GUARD);
        direct.answer(writer);
        direct.awaitSettled(writer.position());
        direct.reportProcessed(reader.consumed());
        assertTrue(blocks.direct <= SharedLayout.SLOTS);
        for (int key : List.of(1 + one(KEYS), 1 + one(KEYS))) {
            long before = writer.position();
            GrantedMemory memory = direct.obtain(key, writer);
            asked = writer.position() == before ? asked : key;
            if (memory != null) {
                access(memory);
            }
        }
    }

    private void access(GrantedMemory memory) {
        long address = one(2) == 0 ? edge() : (1L << 32) + one(BYTES + 8);
        long length = one(2) == 0 ? 1 + one(BYTES + 8) : edge();
        if (length > 0 && memory.permits(address, length, 1 << one(16)) && memory.enter()) {
            accesses++;
            // Out of range, these throw.
            memory.memory().set(ValueLayout.JAVA_BYTE, memory.offset(address), (byte) 1);
            memory.memory().set(ValueLayout.JAVA_BYTE, memory.offset(address) + length - 1, (byte) 1);
            if (length >= Long.BYTES && memory.aligned(address)) {
                memory.getAndAdd(address, 1);
            }
            memory.leave();
        }
    }
}
