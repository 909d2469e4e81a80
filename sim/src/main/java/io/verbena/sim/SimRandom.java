package io.verbena.sim;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import java.util.List;

/** The random numbers of a seed (SplitMix64), with the distributions that a simulation needs. */
public final class SimRandom implements RandomSource {

    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private long state;

    /** The numbers of a seed, which are always the same. */
    public SimRandom(long seed) {
        this.state = seed;
    }

    /** A stream of its own, so that what is drawn for one purpose does not shift what is drawn for another. */
    public SimRandom fork(long purpose) {
        return new SimRandom(Digest.mix(nextLong(), purpose));
    }

    @Override
    public long nextLong() {
        state += STEP;
        long x = (state ^ state >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        x = (x ^ x >>> 27) * 0x94D0_49BB_1331_11EBL;
        return x ^ x >>> 31;
    }

    /** True once in {@code n} times on average; never for n below 1. */
    public boolean oneIn(int n) {
        return n > 0 && nextInt(n) == 0;
    }

    /** Uniform in {@code low} to {@code high}, both included. */
    public int between(int low, int high) {
        return low + nextInt(high - low + 1);
    }

    /** Uniform in {@code low} to {@code high}, both included. */
    public long between(long low, long high) {
        return low + Long.remainderUnsigned(nextLong(), high - low + 1);
    }

    /** 0 to {@code most}, small ones far more often than large ones: the number of digits is uniform. */
    public int size(int most) {
        int bits = nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(most) + 1);
        int bound = bits == 0 ? 1 : 1 << Math.min(bits, 30);
        return Math.min(nextInt(bound), most);
    }

    /** As {@link #size}, for a time. */
    public long sizeNs(long most) {
        int bits = nextInt(Long.SIZE - Long.numberOfLeadingZeros(most) + 1);
        return Math.min(bits == 0 ? 0 : nextLong() >>> Long.SIZE - bits, most);
    }

    /** One of several. */
    public int pick(int... choices) {
        return choices[nextInt(choices.length)];
    }

    /** One of several. */
    public <T> T pick(List<T> choices) {
        return choices.get(nextInt(choices.size()));
    }
}
