package io.verbena.memory.vmm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An array, in pieces that are created when one of their pages is first used. */
final class FlatPageTable implements PageTable {

    private static final int PIECE_SHIFT = 9;
    private static final int PIECE = 1 << PIECE_SHIFT;
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle PIECES = MethodHandles.arrayElementVarHandle(long[][].class);

    private volatile long[] @Nullable [] pieces = new long[1][];

    @Override
    public long get(long page) {
        long[] piece = piece(page);
        return piece == null ? PageEntry.NONE : (long) ENTRY.getAcquire(piece, (int) page & PIECE - 1);
    }

    @Override
    public boolean replace(long page, long expected, long next) {
        long[] piece = piece(page);
        return piece != null && ENTRY.compareAndSet(piece, (int) page & PIECE - 1, expected, next);
    }

    @Override
    public void put(long page, long entry) {
        long[] piece = piece(page);
        if (piece == null) {
            if (entry == PageEntry.NONE) {
                return;
            }
            piece = add((int) (page >>> PIECE_SHIFT));
        }
        ENTRY.setVolatile(piece, (int) page & PIECE - 1, entry);
    }

    private long @Nullable [] piece(long page) {
        long[] @Nullable [] all = pieces;
        long index = page >>> PIECE_SHIFT;
        return index < all.length ? (long[]) PIECES.getAcquire(all, (int) index) : null;
    }

    private long[] add(int index) {
        long[] @Nullable [] all = pieces;
        if (index >= all.length) {
            all = Arrays.copyOf(all, Math.max(index + 1, all.length * 2));
        }
        long[] created = new long[PIECE];
        PIECES.setRelease(all, index, created);
        pieces = all;
        return created;
    }

    /** Copies the entries of another table, for a process that starts to share the segment. Under the lock. */
    void copyFrom(FlatPageTable other) {
        long[] @Nullable [] all = other.pieces;
        for (int i = 0; i < all.length; i++) {
            long[] piece = all[i];
            for (int k = 0; piece != null && k < PIECE; k++) {
                long entry = (long) ENTRY.getAcquire(piece, k);
                if (entry != PageEntry.NONE) {
                    put((long) i << PIECE_SHIFT | k, entry);
                }
            }
        }
    }
}
