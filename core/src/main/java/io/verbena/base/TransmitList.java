package io.verbena.base;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes that an engine sends in one turn: a flat list of pieces, each a range of the slab of the list or of a view
 * of user memory, and the units (FPDUs, packets) that they form. It belongs to one engine, which uses it for one
 * connection after the other. Its content does not outlive a turn.
 *
 * <pre>
 *   pieces   | slab 0..1500 | user 0..32768 | slab 1500..1540 |
 *   units    |--- 0 ---|---------- 1 ----------|------ 2 -----|      each with a tag of its creator
 * </pre>
 */
public final class TransmitList {

    /** Result of {@link #reserve} if the slab is full. */
    public static final int FULL = -1;

    private final Slab slab;
    private boolean gathered;
    private int slabUsed;

    /** Whether views were added since the list was emptied. */
    private boolean viewed;

    private int bytes;

    private int pieces;
    private ByteBuffer[] views = new ByteBuffer[64];
    private int[] from = new int[64];
    private int[] length = new int[64];
    private long[] address = new long[64];
    private boolean[] lendable = new boolean[64];
    private final ByteBuffer slabView;
    private final long slabAddress;

    private int units;
    private int[] unitEnd = new int[64];
    private long[] unitTag = new long[64];

    /** Creates a list with a slab of this size. */
    public TransmitList(int slabBytes) {
        slab = new Slab(slabBytes);
        slabView = slab.range(0, slabBytes);
        slabAddress = slab.address();
    }

    /** Whether all pieces are sent by one gathering call, so that small ones need not be copied. */
    public boolean gathered() {
        return gathered;
    }

    public void gathered(boolean value) {
        gathered = value;
    }

    /** Empties the list. */
    public void reset() {
        slabUsed = 0;
        viewed = false;
        bytes = 0;
        pieces = 0;
        units = 0;
    }

    /** The slab, to write to the bytes returned by {@link #reserve}. */
    public Slab slab() {
        return slab;
    }

    /** Number of bytes of the slab that are not reserved. */
    public int room() {
        return slab.capacity() - slabUsed;
    }

    /**
     * Reserves bytes of the slab as the next bytes of the stream. Returns their offset in the slab, or {@link #FULL}.
     */
    public int reserve(int count) {
        return reserveApart(count, false);
    }

    /** Reserves bytes as {@link #reserve(int)} does; with {@code apart} the bytes start a new piece. */
    int reserveApart(int count, boolean apart) {
        if (count > room()) {
            return FULL;
        }
        int offset = slabUsed;
        if (!apart && pieces > 0 && views[pieces - 1] == slabView && from[pieces - 1] + length[pieces - 1] == offset) {
            length[pieces - 1] += count;
        } else {
            addPiece(slabView, offset, count, slabAddress + offset);
        }
        slabUsed += count;
        bytes += count;
        return offset;
    }

    /** Releases the bytes reserved last: they will not be sent. */
    public void unreserve(int count) {
        assert pieces > 0 && views[pieces - 1] == slabView && length[pieces - 1] >= count;
        length[pieces - 1] -= count;
        slabUsed -= count;
        bytes -= count;
        if (length[pieces - 1] == 0) {
            pieces--;
        }
    }

    /** Discards the pieces from {@code firstPiece} on, which hold the bytes from {@code end} on. */
    void truncate(int firstPiece, int end) {
        for (int i = firstPiece; i < pieces; i++) {
            if (views[i] == slabView) {
                slabUsed -= length[i];
            }
        }
        pieces = firstPiece;
        bytes = end;
    }

    /**
     * Adds a range of a view of user memory as the next bytes of the stream.
     *
     * @param at memory address of the range; the memory must not be released within this turn
     */
    public void addView(ByteBuffer view, int offset, int count, long at) {
        addPiece(view, offset, count, at);
        bytes += count;
        viewed = true;
    }

    /** Whether all bytes of the list are in the slab. They follow each other there. */
    boolean inSlab() {
        return !viewed;
    }

    /**
     * Adds a range as {@link #addView} does, of work that completes only when the memory is not needed any more: so it may be
     * needed beyond this turn.
     */
    public void addLendable(ByteBuffer view, int offset, int count, long at) {
        addView(view, offset, count, at);
        lendable[pieces - 1] = true;
    }

    private void addPiece(ByteBuffer view, int offset, int count, long at) {
        if (pieces == views.length) {
            views = Arrays.copyOf(views, pieces * 2);
            from = Arrays.copyOf(from, pieces * 2);
            length = Arrays.copyOf(length, pieces * 2);
            address = Arrays.copyOf(address, pieces * 2);
            lendable = Arrays.copyOf(lendable, pieces * 2);
        }
        views[pieces] = view;
        from[pieces] = offset;
        length[pieces] = count;
        address[pieces] = at;
        lendable[pieces] = false;
        pieces++;
    }

    /** Ends a unit: all bytes since the end of the preceding unit. */
    public void endUnit(long tag) {
        if (units == unitEnd.length) {
            unitEnd = Arrays.copyOf(unitEnd, units * 2);
            unitTag = Arrays.copyOf(unitTag, units * 2);
        }
        unitEnd[units] = bytes;
        unitTag[units] = tag;
        units++;
    }

    /** Number of bytes in the list. */
    public int bytes() {
        return bytes;
    }

    public int pieces() {
        return pieces;
    }

    /** The buffer of a piece, with position and limit set; for an immediate channel call. */
    public ByteBuffer piece(int index) {
        return views[index].limit(from[index] + length[index]).position(from[index]);
    }

    /** Memory address of a piece. */
    public long pieceAddress(int index) {
        return address[index];
    }

    public int pieceLength(int index) {
        return length[index];
    }

    /** Whether {@link #addLendable} added a piece. */
    public boolean pieceLendable(int index) {
        return lendable[index];
    }

    public int units() {
        return units;
    }

    /** End of a unit, in bytes from the start of the list. */
    public int unitEnd(int index) {
        return unitEnd[index];
    }

    public long unitTag(int index) {
        return unitTag[index];
    }

    /** Copies bytes {@code start} to {@code end} of the list into a slab: the rest of a unit that was sent in part. */
    public void copyOut(int start, int end, Slab target, int offset) {
        int at = 0;
        for (int i = 0; i < pieces && at < end; i++) {
            int first = Math.max(start, at);
            int last = Math.min(end, at + length[i]);
            if (first < last) {
                target.put(offset + first - start, views[i].clear(), from[i] + first - at, last - first);
            }
            at += length[i];
        }
    }
}
