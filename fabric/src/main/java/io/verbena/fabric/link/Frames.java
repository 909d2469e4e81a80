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

    private int[] bytes = new int[0];
    private int[] source = new int[0];
    private int[] destination = new int[0];
    private int[] level = new int[0];
    private int[] next = new int[0];
    private int[] number = new int[0];
    private int[] copies = new int[0];
    private int[] hops = new int[0];
    private long[] born = new long[0];
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
        free = next[frame];
        live++;
        this.source[frame] = source;
        this.destination[frame] = destination;
        this.level[frame] = level;
        this.bytes[frame] = bytes;
        this.born[frame] = born;
        next[frame] = NONE;
        number[frame] = 0;
        copies[frame] = 1;
        hops[frame] = 0;
        return frame;
    }

    private void grow() {
        int old = bytes.length;
        int length = Math.max(256, 2 * old);
        if (length > 1 << 31 - SHIFT) {
            throw new IllegalStateException(old + " frames in flight: sources must wait for the fabric");
        }
        bytes = Arrays.copyOf(bytes, length);
        source = Arrays.copyOf(source, length);
        destination = Arrays.copyOf(destination, length);
        level = Arrays.copyOf(level, length);
        next = Arrays.copyOf(next, length);
        number = Arrays.copyOf(number, length);
        copies = Arrays.copyOf(copies, length);
        hops = Arrays.copyOf(hops, length);
        born = Arrays.copyOf(born, length);
        contents = Arrays.copyOf(contents, length);
        for (int i = length - 1; i >= old; i--) {
            next[i] = free;
            free = i;
        }
    }

    /** One more copy of a frame travels: a switch sends it to several ports, or a broken link has cut it in two. */
    public void addCopies(int frame, int more) {
        copies[frame] += more;
    }

    /** A copy of a frame has arrived or was discarded; with the last one its number becomes free. Returns whether it was. */
    public boolean release(int frame) {
        if (--copies[frame] > 0) {
            return false;
        }
        contents[frame] = null;
        next[frame] = free;
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
        return bytes[frame];
    }

    /** Number of flits. */
    public int flits(int frame) {
        return bytes[frame] + FlitHeader.PAYLOAD - 1 >> 6;
    }

    /** Bytes in the last flit. */
    public int tailBytes(int frame) {
        return (bytes[frame] - 1 & FlitHeader.PAYLOAD - 1) + 1;
    }

    /** The port that sent it. */
    public int source(int frame) {
        return source[frame];
    }

    /** The DLID. */
    public int destination(int frame) {
        return destination[frame];
    }

    /** The service level. */
    public int level(int frame) {
        return level[frame];
    }

    /** The tick of its creation. */
    public long born(int frame) {
        return born[frame];
    }

    /** Position on its path, for checks of the order. */
    public int number(int frame) {
        return number[frame];
    }

    /** Sets the position on its path. */
    public void number(int frame, int value) {
        number[frame] = value;
    }

    /** One more switch forwards the frame; returns how many have, copies included. */
    public int countHop(int frame) {
        return ++hops[frame];
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
        return next[frame];
    }

    /** Sets the frame after this one. */
    public void next(int frame, int value) {
        next[frame] = value;
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
