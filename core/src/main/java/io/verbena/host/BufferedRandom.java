package io.verbena.host;

import io.verbena.base.RandomSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Cryptographic randomness, drawn in blocks so that a number is cheap. Numbers that were given out are wiped: who reads our
 * memory later does not learn which keys were made before. Any thread.
 */
final class BufferedRandom implements RandomSource {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final SecureRandom source = new SecureRandom();
    private final byte[] block = new byte[1024];
    private int used = block.length;

    @Override
    public synchronized long nextLong() {
        if (used == block.length) {
            source.nextBytes(block);
            used = 0;
        }
        long value = (long) LONGS.get(block, used);
        LONGS.set(block, used, 0L);
        used += Long.BYTES;
        return value;
    }
}
