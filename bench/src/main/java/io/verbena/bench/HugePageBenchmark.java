package io.verbena.bench;

import io.verbena.host.segment.SharedRegions;
import io.verbena.memory.Backing;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Memory of the JDK, which has small pages, in the same run as regions with huge ones: what the first access to 256 MiB costs, from the
 * allocation to its end, and what copies of 64 bytes at random places in 1 GiB cost. Start it with {@code -jvmArgsAppend -Xmx4g}.
 */
@Fork(1)
public class HugePageBenchmark {

    private static final long LARGE_BYTES = 1L << 30;
    private static final long FRESH_BYTES = 256L << 20;
    private static final long LINE_BYTES = 64;
    private static final long SMALL_PAGE_BYTES = 4096;

    /** Whose memory. */
    public enum Owner {
        JDK,
        PRIVATE_REGION,
        SHARED_REGION;

        MemoryProvider provider() {
            return switch (this) {
                case JDK ->
                    bytes -> {
                        Arena arena = Arena.ofShared();
                        return Backing.of(arena.allocate(bytes, SMALL_PAGE_BYTES), arena);
                    };
                case PRIVATE_REGION -> new OffHeapMemory();
                case SHARED_REGION -> new SharedRegions(new SecureRandom()::nextLong, true);
            };
        }
    }

    /** The owner of fresh memory. */
    @State(Scope.Thread)
    public static class Choice {

        @Param
        Owner owner = Owner.JDK;
    }

    /** A large region, which each owner has had before the measurement. */
    @State(Scope.Thread)
    public static class Large {

        @Param
        Owner owner = Owner.JDK;

        private Backing backing = Backing.collected(MemorySegment.NULL);
        private final MemorySegment line = Arena.ofAuto().allocate(LINE_BYTES, LINE_BYTES);
        private final SplittableRandom random = new SplittableRandom(1);

        @Setup
        public void allocate() {
            backing = owner.provider().allocate(LARGE_BYTES);
            backing.segment().fill((byte) 1);
        }

        @TearDown
        public void free() {
            backing.giveBack().run();
        }
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    @Warmup(iterations = 2, time = 1)
    @Measurement(iterations = 5, time = 1)
    public void allocatedTouchedAndFreed(Choice choice) {
        Backing backing = choice.owner.provider().allocate(FRESH_BYTES);
        MemorySegment memory = backing.segment();
        for (long at = 0; at < FRESH_BYTES; at += SMALL_PAGE_BYTES) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
        }
        backing.giveBack().run();
    }

    /** Each place depends on what was found at the one before, so that the misses do not overlap. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OutputTimeUnit(TimeUnit.NANOSECONDS)
    @Warmup(iterations = 2, time = 1)
    @Measurement(iterations = 5, time = 1)
    public void randomCopy(Large large) {
        long place = large.random.nextLong() + large.line.get(ValueLayout.JAVA_LONG, 0);
        long from = (place & LARGE_BYTES - 1) & -LINE_BYTES;
        MemorySegment.copy(large.backing.segment(), from, large.line, 0, LINE_BYTES);
    }
}
