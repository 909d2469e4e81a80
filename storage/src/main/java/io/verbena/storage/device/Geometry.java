package io.verbena.storage.device;

/**
 * The shape of a device.
 *
 * @param blockBytes bytes per block
 * @param blocks number of blocks
 */
record Geometry(int blockBytes, long blocks) {
    Geometry {
        if (Integer.bitCount(blockBytes) != 1 || blockBytes < 512 || blockBytes > 4096) {
            throw new IllegalArgumentException("A block has 512, 1024, 2048 or 4096 bytes, not " + blockBytes + ".");
        }
        if (blocks < 1 || blocks > Long.MAX_VALUE / blockBytes) {
            throw new IllegalArgumentException("A device of " + blocks + " blocks of " + blockBytes
                    + " bytes is not possible; give at least one.");
        }
    }

    static Geometry of(long lengthBytes, int blockBytes) {
        return new Geometry(blockBytes, lengthBytes / blockBytes);
    }

    long lengthBytes() {
        return blocks * blockBytes;
    }
}
