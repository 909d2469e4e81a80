package io.verbena.shm;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What the initiator sends first on the socket of a connection: the memory that it offers. Big endian.
 *
 * <pre>
 *    0 | magic "VRBNSHMO"                     8 |
 *    8 | nonce                               16 |
 *   24 | process                              8 |
 *   32 | handle        4 | ring bytes         4 |
 * </pre>
 */
final class Offer {

    /** Length of the frame in bytes. */
    static final int LENGTH = 40;

    private static final long MAGIC = 0x5652_424e_5348_4d4fL;

    private final ByteBuffer frame;

    Offer(ByteBuffer frame) {
        assert frame.capacity() >= LENGTH;
        this.frame = frame;
    }

    Offer fill(long nonceHigh, long nonceLow, long process, int handle, int ringBytes) {
        frame.putLong(0, MAGIC);
        frame.putLong(8, nonceHigh);
        frame.putLong(16, nonceLow);
        frame.putLong(24, process);
        frame.putInt(32, handle);
        frame.putInt(36, ringBytes);
        return this;
    }

    /** Whether an offer begins with this byte; no frame of MPA does. */
    static boolean begins(byte first) {
        return first == (byte) (MAGIC >>> 56);
    }

    /** Whether these are the first bytes of an offer. */
    static boolean begins(byte[] first) {
        byte[] magic = new byte[Long.BYTES];
        ByteBuffer.wrap(magic).putLong(MAGIC);
        int length = Math.min(first.length, magic.length);
        return length > 0 && Arrays.equals(first, 0, length, magic, 0, length);
    }

    /** Whether this is an offer; needs the first 8 bytes only. */
    boolean valid() {
        return frame.getLong(0) == MAGIC;
    }

    long nonceHigh() {
        return frame.getLong(8);
    }

    long nonceLow() {
        return frame.getLong(16);
    }

    long process() {
        return frame.getLong(24);
    }

    int handle() {
        return frame.getInt(32);
    }

    int ringBytes() {
        return frame.getInt(36);
    }

    @Override
    public String toString() {
        return "Offer process=" + process() + " handle=" + handle() + " ringBytes=" + ringBytes();
    }
}
