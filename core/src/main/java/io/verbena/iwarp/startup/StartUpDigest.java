package io.verbena.iwarp.startup;

/** A 64-bit FNV-1a hash of the state of a start-up. */
final class StartUpDigest {
    static final long START = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private StartUpDigest() {}

    static long mix(long h, long value) {
        long mixed = h;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            mixed = (mixed ^ (value >>> shift & 0xff)) * PRIME;
        }
        return mixed;
    }

    static long mix(long h, byte[] bytes, int length) {
        long mixed = mix(h, length);
        for (int i = 0; i < length; i++) {
            mixed = (mixed ^ (bytes[i] & 0xff)) * PRIME;
        }
        return mixed;
    }
}
