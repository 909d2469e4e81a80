package io.verbena.spark;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The request of a reducer for the ranges of some blocks of a shuffle, big endian.
 *
 * <pre>
 *  0  slot      number of the request in its connection
 *  4  released  place where blocks were collected that is not needed any more, or 0
 *  8  shuffle
 * 12  count     number of blocks; 0 if the request only releases
 * 16  unknown   the first block whose output the reducer does not know, or count
 * 20  blocks    each: map task (8 bytes), first partition (4), partition after the last one (4)
 * </pre>
 *
 * @param slot number of the request in its connection
 * @param released place that is not needed any more, or 0
 * @param shuffle identification of the shuffle
 * @param unknown the first block whose output the reducer does not know; the number of blocks if there is none
 * @param blocks the blocks
 */
record OpenRequest(int slot, int released, int shuffle, int unknown, Blocks blocks) {

    /** Maximum number of blocks. */
    static final int MOST_BLOCKS = 255;

    /** Maximum length. */
    static final int MOST_BYTES = 20 + MOST_BLOCKS * 16;

    private static final int HEADER = 20;
    private static final int BLOCK = 16;

    /** Blocks of one shuffle: map tasks, the first partition of each and the one after its last. The arrays are shared. */
    record Blocks(long[] maps, int[] first, int[] end) {

        static final Blocks NONE = new Blocks(new long[0], new int[0], new int[0]);

        int count() {
            return maps.length;
        }
    }

    /** Writes the request and returns its length. */
    int write(MemorySegment segment) {
        ByteBuffer to = segment.asByteBuffer();
        to.putInt(slot).putInt(released).putInt(shuffle).putInt(blocks.count()).putInt(unknown);
        for (int i = 0; i < blocks.count(); i++) {
            to.putLong(blocks.maps()[i]).putInt(blocks.first()[i]).putInt(blocks.end()[i]);
        }
        return to.position();
    }

    /**
     * Reads a request of a peer.
     *
     * @throws IOException if it is not one
     */
    static OpenRequest read(MemorySegment segment, long bytes) throws IOException {
        ByteBuffer from = segment.asByteBuffer();
        int count = bytes < HEADER ? -1 : from.getInt(12);
        if (count < 0 || count > MOST_BLOCKS || bytes != HEADER + (long) count * BLOCK) {
            throw new IOException("a request for ranges has " + bytes + " bytes and " + count + " blocks");
        }
        Blocks blocks = new Blocks(new long[count], new int[count], new int[count]);
        for (int i = 0; i < count; i++) {
            int at = HEADER + i * BLOCK;
            blocks.maps()[i] = from.getLong(at);
            blocks.first()[i] = from.getInt(at + 8);
            blocks.end()[i] = from.getInt(at + 12);
        }
        return new OpenRequest(from.getInt(0), from.getInt(4), from.getInt(8), from.getInt(16), blocks);
    }
}
