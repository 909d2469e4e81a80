package io.verbena.base;

/** SipHash-2-4 of three words: unpredictable without the key. */
public final class KeyedHash {

    private final long first;
    private final long second;

    /** A hash with a secret key of 128 bits. */
    public KeyedHash(long first, long second) {
        this.first = first;
        this.second = second;
    }

    /** The hash of three words. */
    public long of(long a, long b, long c) {
        long v0 = first ^ 0x736f_6d65_7073_6575L;
        long v1 = second ^ 0x646f_7261_6e64_6f6dL;
        long v2 = first ^ 0x6c79_6765_6e65_7261L;
        long v3 = second ^ 0x7465_6462_7974_6573L;
        long[] words = {a, b, c, 24L << 56};
        for (int i = 0; i <= words.length; i++) {
            boolean last = i == words.length;
            long word = last ? 0 : words[i];
            v2 ^= last ? 0xff : 0;
            v3 ^= word;
            for (int round = 0; round < (last ? 4 : 2); round++) {
                v0 += v1;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v3;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 += v3;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
