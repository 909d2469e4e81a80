package io.verbena.bench;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RegistrationRules;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.RemoteKeys;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import java.security.SecureRandom;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The check of a remote access, and the translation of its address, with this number of keys, bound and used at random; what one cache miss
 * costs in the same run. With {@code -prof gc}: nothing is allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class KeyCheckBenchmark {

    private static final int DOMAIN = 1;
    private static final int MOST_ORDER = 1 << 20;
    private static final int READ = RegistrationRules.bits(Set.of(AccessRight.REMOTE_READ));

    @Param({"1", "1000000"})
    int keys;

    private final AccessCheck check = new AccessCheck();
    private RegionTable table;
    private Region region;
    private int[] values;
    private int[] order;
    private int[] chain;
    private int at;
    private int link;

    @Setup
    public void bind() {
        SecureRandom secure = new SecureRandom();
        table = new RegionTable(secure::nextLong);
        region = table.register(
                new OffHeapMemory().allocate(1 << 20), DOMAIN, Set.of(AccessRight.BIND, AccessRight.LOCAL_WRITE));
        RemoteKeys all = table.keys();
        values = new int[keys];
        for (int i = 0; i < keys; i++) {
            RemoteKey key = all.allocate(DOMAIN, false, false, true, false);
            values[i] = all.promise(key, 0, 0, 64);
            bind(values[i], i & 31);
        }
        SplittableRandom random = new SplittableRandom(1);
        // For few keys short, so that the order does not cost more than the keys.
        order = new int[Math.clamp(Integer.highestOneBit(keys) * 2L, 1024, MOST_ORDER)];
        for (int i = 0; i < order.length; i++) {
            order[i] = values[random.nextInt(keys)];
        }
        chain = cycle(1 << 24, random);
    }

    private void bind(int value, long offset) {
        RemoteKeys all = table.keys();
        if (!all.beginBind(value, region.localKey(), DOMAIN, offset, 64, READ).ok()
                || !all.bind(value, region.localKey(), 0, offset, 64, READ).ok()) {
            throw new IllegalStateException("not bound");
        }
    }

    /** One cycle through 64 MiB, in an order that no prefetcher guesses. */
    private static int[] cycle(int length, SplittableRandom random) {
        int[] next = new int[length];
        for (int i = 0; i < length; i++) {
            next[i] = i;
        }
        for (int i = length - 1; i > 0; i--) {
            int k = random.nextInt(i);
            int swap = next[i];
            next[i] = next[k];
            next[k] = swap;
        }
        return next;
    }

    /**
     * A check; with one key it is hot, with a million each misses. The next key is taken from an array in order, from where the
     * translation says: so no check begins before the one before has its answer, as a load of {@link #miss} does not.
     */
    @Benchmark
    public Verdict check() {
        at = at + 1 + (int) (check.offset() >>> 32) & order.length - 1;
        return check.check(table, order[at], DOMAIN, 0, 0, region.baseAddress() + 40, 8, AccessRight.REMOTE_READ);
    }

    /** One load that misses every cache: each depends on the one before. */
    @Benchmark
    public int miss() {
        link = chain[link];
        return link;
    }
}
