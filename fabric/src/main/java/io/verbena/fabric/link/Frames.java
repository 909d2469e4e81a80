package io.verbena.fabric.link;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The frames in a fabric, as flat arrays that are reused. A frame is what an endnode sends: headers, payload and a trailing
 * CRC, {@code bytes} altogether. On a link it is a row of flits with up to {@link FlitHeader#PAYLOAD} bytes each.
 *
 * <p>A flit is an int: the number of its frame, and whether it is the first or the last one of it.
 */
public final class Frames {
    /** Bit of the first flit of a frame. */
    public static final int HEAD = 1;
    /** Bit of the last flit of a frame. */
    public static final int TAIL = 2;
    /** Bit of a last flit that ends a frame whose rest was lost with a link. */
    public static final int CUT = 4;
    /** No frame. */
    public static final int NONE = -1;

    private static final int SHIFT = 3;

    private static final int BYTES = 0;
    private static final int SOURCE = 1;
    private static final int DESTINATION = 2;
    private static final int LEVEL = 3;
    private static final int NEXT = 4;
    private static final int NUMBER = 5;
    private static final int COPIES = 6;
    private static final int HOPS = 7;
    private static final int BORN_LOW = 8;
    private static final int BORN_HIGH = 9;
    private static final int BROKEN = 10;
    private static final int BLOCK_SHIFT = 4;

    /** A block of ints per frame, so that it is in one cache line. */
    private int[] block = new int[0];

    private @Nullable Object[] contents = new @Nullable Object[0];
    private int free = NONE;
    private int live;

    /**
     * A new frame.
     *
     * @param source port that sends it
     * @param destination DLID
     * @param level service level
     * @param bytes length with headers and CRC, 1 or more
     * @param born tick of its creation
     */
    public int create(int source, int destination, int level, int bytes, long born) {
        if (free == NONE) {
            grow();
        }
        int frame = free;
        int at = frame << BLOCK_SHIFT;
        free = block[at + NEXT];
        live++;
        block[at + SOURCE] = source;
        block[at + DESTINATION] = destination;
        block[at + LEVEL] = level;
        block[at + BYTES] = bytes;
        block[at + BORN_LOW] = (int) born;
        block[at + BORN_HIGH] = (int) (born >>> 32);
        block[at + NEXT] = NONE;
        block[at + NUMBER] = 0;
        block[at + COPIES] = 1;
        block[at + HOPS] = 0;
        block[at + BROKEN] = 0;
        return frame;
    }

    private void grow() {
        int old = contents.length;
        int length = Math.max(256, 2 * old);
        if (length > 1 << 31 - BLOCK_SHIFT - 1) {
            throw new IllegalStateException(old + " frames in flight: sources must wait for the fabric");
        }
        block = Arrays.copyOf(block, length << BLOCK_SHIFT);
        contents = Arrays.copyOf(contents, length);
        for (int i = length - 1; i >= old; i--) {
            block[(i << BLOCK_SHIFT) + NEXT] = free;
            free = i;
        }
    }

    /** One more copy of a frame travels: a switch sends it to several ports, or a broken link has cut it in two. */
    public void addCopies(int frame, int more) {
        block[(frame << BLOCK_SHIFT) + COPIES] += more;
    }

    /** A copy of a frame has arrived or was discarded; with the last one its number becomes free. Returns whether it was. */
    public boolean release(int frame) {
        if (--block[(frame << BLOCK_SHIFT) + COPIES] > 0) {
            return false;
        }
        contents[frame] = null;
        block[(frame << BLOCK_SHIFT) + NEXT] = free;
        free = frame;
        live--;
        return true;
    }

    /** Frames that were created and not released. */
    public int live() {
        return live;
    }

    /** Length in bytes. */
    public int bytes(int frame) {
        return block[(frame << BLOCK_SHIFT) + BYTES];
    }

    /** Number of flits. */
    public int flits(int frame) {
        return block[(frame << BLOCK_SHIFT) + BYTES] + FlitHeader.PAYLOAD - 1 >> 6;
    }

    /** Bytes in the last flit. */
    public int tailBytes(int frame) {
        return (block[(frame << BLOCK_SHIFT) + BYTES] - 1 & FlitHeader.PAYLOAD - 1) + 1;
    }

    /** The port that sent it. */
    public int source(int frame) {
        return block[(frame << BLOCK_SHIFT) + SOURCE];
    }

    /** The DLID. */
    public int destination(int frame) {
        return block[(frame << BLOCK_SHIFT) + DESTINATION];
    }

    /** The service level. */
    public int level(int frame) {
        return block[(frame << BLOCK_SHIFT) + LEVEL];
    }

    /** The tick of its creation. */
    public long born(int frame) {
        int at = frame << BLOCK_SHIFT;
        return (long) block[at + BORN_HIGH] << 32 | block[at + BORN_LOW] & 0xffff_ffffL;
    }

    /** Position on its path, for checks of the order. */
    public int number(int frame) {
        return block[(frame << BLOCK_SHIFT) + NUMBER];
    }

    /** Sets the position on its path. */
    public void number(int frame, int value) {
        block[(frame << BLOCK_SHIFT) + NUMBER] = value;
    }

    /** One more switch forwards the frame; returns how many have, copies included. */
    public int countHop(int frame) {
        return ++block[(frame << BLOCK_SHIFT) + HOPS];
    }

    /** A broken link has lost a part of the frame. What follows of it takes its way, and no endnode accepts it. */
    public void breakOff(int frame) {
        block[(frame << BLOCK_SHIFT) + BROKEN] = 1;
    }

    /** Whether a broken link has lost a part of the frame. */
    public boolean broken(int frame) {
        return block[(frame << BLOCK_SHIFT) + BROKEN] != 0;
    }

    /** What the sender attached, for example the bytes of a packet. */
    public @Nullable Object contents(int frame) {
        return contents[frame];
    }

    /** Attaches something to the frame. */
    public void contents(int frame, Object value) {
        contents[frame] = value;
    }

    /** The frame after this one in a queue of its source, or {@link #NONE}. */
    public int next(int frame) {
        return block[(frame << BLOCK_SHIFT) + NEXT];
    }

    /** Sets the frame after this one. */
    public void next(int frame, int value) {
        block[(frame << BLOCK_SHIFT) + NEXT] = value;
    }

    /** The flit of a frame with these bits. */
    public static int flit(int frame, int bits) {
        return frame << SHIFT | bits;
    }

    /** The frame of a flit. */
    public static int frameOf(int flit) {
        return flit >>> SHIFT;
    }
}
