package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Which peers may access one region of this process directly, without its engines: the owner's side of a page that is
 * shared with them. {@link GrantedMemory} is the other side.
 *
 * <pre>
 *    0 | used by the owner of the page                                    64 |
 *   64 | grant 8 | inside 8 | unused 48 |   slot 0
 *  128 | grant 8 | inside 8 | unused 48 |   slot 1
 *   .. |                                    up to slot 62
 * </pre>
 *
 * <p>A slot belongs to one connection until that connection ends. The owner writes {@code grant}: the number of the
 * grant that is valid, or 0. The peer writes {@code inside}: odd while it accesses the region. What a grant permits is
 * not in the page: the peer has a copy of its own.
 *
 * <pre>
 *   peer                                    owner
 *   inside = odd                            grant = 0
 *   full fence                              full fence
 *   reads grant                             reads inside
 *     its number: accesses the region         even: nothing accesses the region
 *     other:      does not                    odd:  waits until it changes
 *   inside = even (release)
 * </pre>
 *
 * At least one of them sees the store of the other. The wait is bounded: a peer that hangs inside is given up after
 * {@link #BOUND_NS}. Then its slot is never used again, and the callback of {@link #open} must ensure that the memory is
 * never used again either.
 *
 * <p>Any thread may call any method.
 */
public final class SharedGrants {

    /** Size of the page. */
    public static final int PAGE_BYTES = 4096;

    /** Connections that can have a grant at the same time. */
    public static final int SLOTS = 63;

    /** No slot. */
    public static final int NONE = -1;

    /** Time for a peer to leave. A peer that runs leaves after each piece of a copy. */
    public static final long BOUND_NS = 100_000_000L;

    static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private static final int LINE = 64;
    private static final int INSIDE = 8;
    private static final int NO_KEY = 0;

    /** The state of a slot. */
    private enum Slot {
        FREE,
        TAKEN,
        /** Its connection has ended, but its peer was inside then. */
        ENDED,
        /** Its peer was given up. */
        LOST
    }

    /**
     * A grant.
     *
     * @param slot slot of the connection
     * @param number the value of {@code grant} while it is valid
     */
    public record Issued(int slot, long number) {}

    private final MemorySegment page;
    private final LongSupplier clock;

    private final Slot[] slots = new Slot[SLOTS];

    /** What {@code inside} was when the grant was revoked, if it was odd and has not changed since; otherwise 0. */
    private final long[] awaited = new long[SLOTS];

    private final long[] untilNs = new long[SLOTS];
    private int key = NO_KEY;
    private boolean closed;
    private long lastNumber;
    private Runnable hung = () -> {};

    /**
     * Nothing is granted.
     *
     * @param page a zeroed page, aligned; its first line is not used
     * @param clock monotonic time in nanoseconds
     */
    public SharedGrants(MemorySegment page, LongSupplier clock) {
        assert page.byteSize() == PAGE_BYTES;
        this.page = page;
        this.clock = clock;
        Arrays.fill(slots, Slot.FREE);
    }

    static long grantAt(int slot) {
        return (long) (slot + 1) * LINE;
    }

    static long insideAt(int slot) {
        return grantAt(slot) + INSIDE;
    }

    // The key of the region.

    /**
     * Grants for this key may be issued from now on.
     *
     * @param onHung called when a peer hangs inside after its grant was revoked
     */
    public synchronized void open(int newKey, Runnable onHung) {
        assert newKey != NO_KEY;
        key = newKey;
        hung = onHung;
    }

    /** Revokes all grants and issues no more. {@link #settled} follows. */
    public synchronized void revoke() {
        key = NO_KEY;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (slots[slot] == Slot.TAKEN) {
                revoke(slot);
            }
        }
    }

    /** Whether every peer that was inside when its grant was revoked has left or was given up. */
    public boolean settled() {
        boolean all = true;
        for (int slot = 0; slot < SLOTS; slot++) {
            all &= settled(slot);
        }
        return all;
    }

    /**
     * Waits for the peers that are inside at this moment after their grants were revoked. Peers that enter afterwards belong to
     * other revocations, so a wait ends {@link #BOUND_NS} after it began whatever other revocations follow.
     */
    public synchronized Leaving leaving() {
        return new Leaving(awaited.clone());
    }

    /** A wait for the peers that were inside when it began. */
    public final class Leaving {

        /** What {@code inside} of each slot was; 0 where there is nothing to wait for. */
        private final long[] seen;

        private Leaving(long[] seen) {
            this.seen = seen;
        }

        /** Whether each of them has left or was given up. Once true, the result remains true. */
        public boolean settled() {
            boolean all = true;
            for (int slot = 0; slot < SLOTS; slot++) {
                if (seen[slot] != 0) {
                    if (!awaits(slot, seen[slot]) || SharedGrants.this.settled(slot)) {
                        seen[slot] = 0;
                    } else {
                        all = false;
                    }
                }
            }
            return all;
        }
    }

    private synchronized boolean awaits(int slot, long word) {
        return awaited[slot] == word;
    }

    /** The page is about to be unmapped: it is not accessed any more. Connections may end later. */
    public synchronized void close() {
        revoke();
        closed = true;
        Arrays.fill(awaited, 0);
    }

    /** Whether the region has been released. */
    public synchronized boolean closed() {
        return closed;
    }

    // The slots of connections.

    /**
     * Grants a key to a connection.
     *
     * @param wanted the key that the peer names
     * @param slot the slot that the connection has, or {@link #NONE}
     * @return empty if nothing is granted: the key is not valid any more, all slots are taken, or the peer has not left
     *     since the last grant was revoked
     */
    public synchronized Optional<Issued> issue(int wanted, int slot) {
        int at = slot == NONE ? free() : slot;
        if (wanted != key || wanted == NO_KEY || at == NONE || !outside(at) || slots[at] == Slot.LOST) {
            return Optional.empty();
        }
        if (slots[at] == Slot.FREE) {
            slots[at] = Slot.TAKEN;
            // A peer that was killed inside has left an odd word.
            long inside = (long) WORD.getAcquire(page, insideAt(at));
            WORD.setRelease(page, insideAt(at), (inside | 1) + 1);
        }
        WORD.setRelease(page, grantAt(at), ++lastNumber);
        return Optional.of(new Issued(at, lastNumber));
    }

    private int free() {
        for (int slot = 0; slot < SLOTS; slot++) {
            // The peer of a connection that has ended may have left since.
            if (slots[slot] == Slot.FREE || slots[slot] == Slot.ENDED && outside(slot)) {
                return slot;
            }
        }
        return NONE;
    }

    /** Revokes the grant of one connection. {@link #settled(int)} follows. */
    public synchronized void revoke(int slot) {
        if (closed || slots[slot] == Slot.LOST) {
            return;
        }
        // The previous wait continues: the peer has not been outside since.
        WORD.setVolatile(page, grantAt(slot), 0L);
        VarHandle.fullFence();
        long inside = (long) WORD.getAcquire(page, insideAt(slot));
        if ((inside & 1) == 0) {
            awaited[slot] = 0;
        } else if (awaited[slot] != inside) {
            awaited[slot] = inside;
            untilNs[slot] = clock.getAsLong() + BOUND_NS;
        }
    }

    /** Whether the peer of a slot has left since its grant was revoked, or was given up. */
    public boolean settled(int slot) {
        Runnable lost;
        synchronized (this) {
            if (outside(slot)) {
                return true;
            }
            if (clock.getAsLong() - untilNs[slot] < 0) {
                return false;
            }
            // It may wake up and write at any time: neither the slot nor the memory is used again.
            awaited[slot] = 0;
            slots[slot] = Slot.LOST;
            revoke(); // other peers must not use the lost memory, either
            lost = hung;
        }
        lost.run(); // without the lock: it has locks of its own, whose holders close this object
        return true;
    }

    private boolean outside(int slot) {
        if (awaited[slot] != 0 && (long) WORD.getAcquire(page, insideAt(slot)) != awaited[slot]) {
            left(slot);
        }
        return awaited[slot] == 0;
    }

    private void left(int slot) {
        awaited[slot] = 0;
        if (slots[slot] == Slot.ENDED) {
            slots[slot] = Slot.FREE;
        }
    }

    /**
     * The connection of a slot has ended.
     *
     * @param peerGone whether the process of the peer has ended or has closed its side, so that it is not inside
     *     whatever its word says
     */
    public synchronized void end(int slot, boolean peerGone) {
        if (slots[slot] != Slot.TAKEN) {
            return;
        }
        revoke(slot);
        slots[slot] = Slot.ENDED;
        if (peerGone || awaited[slot] == 0) {
            left(slot);
        }
    }
}
