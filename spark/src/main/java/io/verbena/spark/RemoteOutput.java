package io.verbena.spark;

import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where a whole map output is at another executor. Its key permits Reads until the shuffle is removed there.
 *
 * @param address of its first byte
 * @param key of its region
 * @param offsets of the partitions in it, and its length; the array is shared
 */
record RemoteOutput(long address, int key, long[] offsets) {

    private static final int HEADER = 16;

    /** Length in a message. */
    static int bytes(long[] offsets) {
        return HEADER + 8 * offsets.length;
    }

    int partitions() {
        return offsets.length - 1;
    }

    /** The bytes of some partitions, which are not empty. */
    RemoteRegion range(int first, int end) {
        return new RemoteRegion(address + offsets[first], length(first, end), key);
    }

    long length(int first, int end) {
        return offsets[end] - offsets[first];
    }

    void write(ByteBuffer to) {
        to.putLong(address).putInt(key).putInt(offsets.length);
        for (long offset : offsets) {
            to.putLong(offset);
        }
    }

    /**
     * Reads an output.
     *
     * @throws IOException if it is none: its offsets must ascend from 0
     */
    static RemoteOutput read(ByteBuffer from) throws IOException {
        if (from.remaining() < HEADER) {
            throw new IOException("an output has " + from.remaining() + " bytes");
        }
        long address = from.getLong();
        int key = from.getInt();
        int count = from.getInt();
        if (count < 2 || count > from.remaining() / 8) {
            throw new IOException("an output has " + count + " offsets");
        }
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = from.getLong();
            if (i == 0 ? offsets[i] != 0 : offsets[i] < offsets[i - 1] || offsets[i] > OpenReply.MOST_LENGTH) {
                throw new IOException("offset " + i + " of an output is " + offsets[i]);
            }
        }
        return new RemoteOutput(address, key, offsets);
    }
}
