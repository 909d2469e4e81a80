package io.verbena.host.system;

/**
 * The block function of ChaCha20 (RFC 8439 section 2.3) with a nonce of zeros, for one use of each key. The JDK has the
 * cipher, but allocates whenever it is given a key.
 */
final class ChaCha20 {

    static final int KEY_WORDS = 8;
    static final int BLOCK_WORDS = 16;

    private static final int DOUBLE_ROUNDS = 10;

    // RFC 8439 section 2.3: "expa", "nd 3", "2-by", "te k".
    private static final int CONSTANT_0 = 0x61707865;
    private static final int CONSTANT_1 = 0x3320646e;
    private static final int CONSTANT_2 = 0x79622d32;
    private static final int CONSTANT_3 = 0x6b206574;

    private ChaCha20() {}

    /**
     * One block of the key stream. The method is long so that the sixteen words stay in registers; with arrays it takes
     * five times as long.
     *
     * @param key {@link #KEY_WORDS} words
     * @param counter number of the block
     * @param out receives {@link #BLOCK_WORDS} words from {@code at}
     */
    static void block(int[] key, int counter, int[] out, int at) {
        int x0 = CONSTANT_0;
        int x1 = CONSTANT_1;
        int x2 = CONSTANT_2;
        int x3 = CONSTANT_3;
        int x4 = key[0];
        int x5 = key[1];
        int x6 = key[2];
        int x7 = key[3];
        int x8 = key[4];
        int x9 = key[5];
        int x10 = key[6];
        int x11 = key[7];
        int x12 = counter;
        int x13 = 0;
        int x14 = 0;
        int x15 = 0;
        for (int i = 0; i < DOUBLE_ROUNDS; i++) {
            // Columns.
            x0 += x4;
            x12 = Integer.rotateLeft(x12 ^ x0, 16);
            x8 += x12;
            x4 = Integer.rotateLeft(x4 ^ x8, 12);
            x0 += x4;
            x12 = Integer.rotateLeft(x12 ^ x0, 8);
            x8 += x12;
            x4 = Integer.rotateLeft(x4 ^ x8, 7);
            x1 += x5;
            x13 = Integer.rotateLeft(x13 ^ x1, 16);
            x9 += x13;
            x5 = Integer.rotateLeft(x5 ^ x9, 12);
            x1 += x5;
            x13 = Integer.rotateLeft(x13 ^ x1, 8);
            x9 += x13;
            x5 = Integer.rotateLeft(x5 ^ x9, 7);
            x2 += x6;
            x14 = Integer.rotateLeft(x14 ^ x2, 16);
            x10 += x14;
            x6 = Integer.rotateLeft(x6 ^ x10, 12);
            x2 += x6;
            x14 = Integer.rotateLeft(x14 ^ x2, 8);
            x10 += x14;
            x6 = Integer.rotateLeft(x6 ^ x10, 7);
            x3 += x7;
            x15 = Integer.rotateLeft(x15 ^ x3, 16);
            x11 += x15;
            x7 = Integer.rotateLeft(x7 ^ x11, 12);
            x3 += x7;
            x15 = Integer.rotateLeft(x15 ^ x3, 8);
            x11 += x15;
            x7 = Integer.rotateLeft(x7 ^ x11, 7);
            // Diagonals.
            x0 += x5;
            x15 = Integer.rotateLeft(x15 ^ x0, 16);
            x10 += x15;
            x5 = Integer.rotateLeft(x5 ^ x10, 12);
            x0 += x5;
            x15 = Integer.rotateLeft(x15 ^ x0, 8);
            x10 += x15;
            x5 = Integer.rotateLeft(x5 ^ x10, 7);
            x1 += x6;
            x12 = Integer.rotateLeft(x12 ^ x1, 16);
            x11 += x12;
            x6 = Integer.rotateLeft(x6 ^ x11, 12);
            x1 += x6;
            x12 = Integer.rotateLeft(x12 ^ x1, 8);
            x11 += x12;
            x6 = Integer.rotateLeft(x6 ^ x11, 7);
            x2 += x7;
            x13 = Integer.rotateLeft(x13 ^ x2, 16);
            x8 += x13;
            x7 = Integer.rotateLeft(x7 ^ x8, 12);
            x2 += x7;
            x13 = Integer.rotateLeft(x13 ^ x2, 8);
            x8 += x13;
            x7 = Integer.rotateLeft(x7 ^ x8, 7);
            x3 += x4;
            x14 = Integer.rotateLeft(x14 ^ x3, 16);
            x9 += x14;
            x4 = Integer.rotateLeft(x4 ^ x9, 12);
            x3 += x4;
            x14 = Integer.rotateLeft(x14 ^ x3, 8);
            x9 += x14;
            x4 = Integer.rotateLeft(x4 ^ x9, 7);
        }
        out[at] = x0 + CONSTANT_0;
        out[at + 1] = x1 + CONSTANT_1;
        out[at + 2] = x2 + CONSTANT_2;
        out[at + 3] = x3 + CONSTANT_3;
        out[at + 4] = x4 + key[0];
        out[at + 5] = x5 + key[1];
        out[at + 6] = x6 + key[2];
        out[at + 7] = x7 + key[3];
        out[at + 8] = x8 + key[4];
        out[at + 9] = x9 + key[5];
        out[at + 10] = x10 + key[6];
        out[at + 11] = x11 + key[7];
        out[at + 12] = x12 + counter;
        out[at + 13] = x13;
        out[at + 14] = x14;
        out[at + 15] = x15;
    }
}
