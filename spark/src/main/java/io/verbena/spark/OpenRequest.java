package io.verbena.spark;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The request of a reducer for the ranges of some blocks of a shuffle, big endian.
 *
 * <pre>
 *  0  slot      number of the request in its connection
 *  4  released  place where blocks were collected that is not needed any more, or 0
 *  8  shuffle
 * 12  count     number of blocks; 0 if the request only releases
 * 16  blocks    each: map task (8 bytes), first partition (4), partition after the last one (4)
 * </pre>
 *
 * @param slot number of the request in its connection
 * @param released place that is not needed any more, or 0
 * @param shuffle identification of the shuffle
 * @param blocks the blocks
 */
record OpenRequest(int slot, int released, int shuffle, Blocks blocks) {

    /** Maximum number of blocks. */
    static final int MOST_BLOCKS = 255;

    /** Maximum length. */
    static final int MOST_BYTES = 16 + MOST_BLOCKS * 16;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int HEADER = 16;
    private static final int BLOCK = 16;

    /** Blocks of one shuffle: map tasks, the first partition of each and the one after its last. The arrays are shared. */
    record Blocks(long[] maps, int[] first, int[] end) {

        static final Blocks NONE = new Blocks(new long[0], new int[0], new int[0]);

        int count() {
            return maps.length;
        }
    }

    /** Writes the request and returns its length. */
    int write(MemorySegment to) {
        to.set(INT, 0, slot);
        to.set(INT, 4, released);
        to.set(INT, 8, shuffle);
        to.set(INT, 12, blocks.count());
        for (int i = 0; i < blocks.count(); i++) {
            long at = HEADER + (long) i * BLOCK;
            to.set(LONG, at, blocks.maps()[i]);
            to.set(INT, at + 8, blocks.first()[i]);
            to.set(INT, at + 12, blocks.end()[i]);
        }
        return HEADER + blocks.count() * BLOCK;
    }

    /**
     * Reads a request of a peer.
     *
     * @throws IOException if it is not one
     */
    static OpenRequest read(MemorySegment from, long bytes) throws IOException {
        int count = bytes < HEADER ? -1 : from.get(INT, 12);
        if (count < 0 || count > MOST_BLOCKS || bytes != HEADER + (long) count * BLOCK) {
            throw new IOException("a request for ranges has " + bytes + " bytes and " + count + " blocks");
        }
        Blocks blocks = new Blocks(new long[count], new int[count], new int[count]);
        for (int i = 0; i < count; i++) {
            long at = HEADER + (long) i * BLOCK;
            blocks.maps()[i] = from.get(LONG, at);
            blocks.first()[i] = from.get(INT, at + 8);
            blocks.end()[i] = from.get(INT, at + 12);
        }
        return new OpenRequest(from.get(INT, 0), from.get(INT, 4), from.get(INT, 8), blocks);
    }
}
