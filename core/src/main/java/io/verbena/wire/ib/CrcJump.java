package io.verbena.wire.ib;

import java.util.zip.CRC32;

/**
 * What a number of bytes does to the state of a CRC-32 that was summed before them. A CRC is linear: the state after the bytes is the state
 * that they alone produce, xor that of the difference between the earlier state and {@link ShortCrc32#START}, moved by as many zero bytes.
 * So data before and after can be summed by tables, and only what is between them by {@link CRC32}, which always begins anew.
 */
final class CrcJump {

    private static final int NIBBLES = 8;
    private static final int VALUES = 16;
    private static final int BITS = 4;

    /** For each nibble of a difference and each of its values, the difference behind the bytes. */
    private final int[] moved = new int[NIBBLES * VALUES];

    /** The effect of {@code bytes} bytes, 4 at least. */
    CrcJump(CRC32 crc, int bytes) {
        // Four bytes put into an empty register are the same as that register and four bytes of zero.
        byte[] message = new byte[bytes];
        int zeros = sum(crc, message);
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            message[bit / Byte.SIZE] = (byte) (1 << bit % Byte.SIZE);
            moved[bit / BITS * VALUES + (1 << bit % BITS)] = sum(crc, message) ^ zeros;
            message[bit / Byte.SIZE] = 0;
        }
        for (int i = 0; i < moved.length; i++) {
            int first = i & VALUES - 1 & -i;
            moved[i] = moved[i - first] ^ moved[i / VALUES * VALUES + first];
        }
    }

    static int sum(CRC32 crc, byte[] message) {
        crc.reset();
        crc.update(message);
        return (int) crc.getValue();
    }

    /** The state after the bytes. {@code alone} is their CRC-32, and {@code before} the state in which they follow. */
    int after(int alone, int before) {
        int difference = before ^ ShortCrc32.START;
        int sum = ~alone;
        for (int nibble = 0; nibble < NIBBLES; nibble++) {
            sum ^= moved[nibble * VALUES + (difference >>> nibble * BITS & VALUES - 1)];
        }
        return sum;
    }
}
