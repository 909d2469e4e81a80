package io.verbena.host.system;

import io.verbena.base.RandomSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Cryptographic random numbers that cost a few nanoseconds each and do not allocate: the key stream of
 * {@link ChaCha20}, keyed by the generator of the system. The first eight words of each chunk of the stream are the
 * next key and are never output. The key that produced the chunk is overwritten, and output numbers are erased, so that
 * a later reader of this memory cannot learn earlier keys. The generator of the system is mixed in periodically. Any
 * thread.
 */
public final class BufferedRandom implements RandomSource {

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Length of a piece of the stream. */
    private static final int BLOCKS = 16;

    /** Chunks between two uses of the system's generator: about 260,000 numbers of 32 bits. */
    private static final int CHUNKS_PER_SEED = 1024;

    private final SecureRandom source = new SecureRandom();
    private final int[] key = new int[ChaCha20.KEY_WORDS];
    private final int[] stream = new int[BLOCKS * ChaCha20.BLOCK_WORDS];
    private int used = stream.length;
    private int pieces;

    @Override
    public long nextLong() {
        return (long) nextInt() << Integer.SIZE | nextInt() & 0xffff_ffffL;
    }

    @Override
    public synchronized int nextInt() {
        if (used == stream.length) {
            refill();
        }
        int value = stream[used];
        stream[used++] = 0;
        return value;
    }

    private void refill() {
        if (pieces == 0) {
            pieces = CHUNKS_PER_SEED;
            mixIn();
        }
        pieces--;
        for (int i = 0; i < BLOCKS; i++) {
            ChaCha20.block(key, i, stream, i * ChaCha20.BLOCK_WORDS);
        }
        System.arraycopy(stream, 0, key, 0, key.length);
        Arrays.fill(stream, 0, key.length, 0);
        used = key.length;
    }

    private void mixIn() {
        byte[] seed = new byte[key.length * Integer.BYTES];
        source.nextBytes(seed);
        for (int i = 0; i < key.length; i++) {
            key[i] ^= (int) INTS.get(seed, i * Integer.BYTES);
        }
        Arrays.fill(seed, (byte) 0);
    }
}
