package io.verbena.bench;

import io.verbena.base.Slab;
import io.verbena.bench.endpoint.Endpoint;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import java.io.IOException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The steps of the data path one by one: headers, keys, copies, checksums, and a turn of an engine that has nothing to do. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HotPathBenchmark {

    private static final int DOMAIN = 7;
    private static final int REGIONS = 1000;
    private static final int PAYLOAD = 32_768;
    private static final int SEED = 1;

    private final Slab slab = new Slab(1 << 16);
    private final DdpTagged header = new DdpTagged();
    private final Ulpdu ulpdu = new Ulpdu();
    private final AccessCheck check = new AccessCheck();
    private RegionTable table;
    private Region region;
    private Endpoint idle;
    private Endpoint peer;

    @Setup
    public void prepare() throws IOException {
        Random random = new Random(SEED);
        table = new RegionTable(random::nextLong);
        OffHeapMemory memory = new OffHeapMemory();
        region = table.register(memory.allocate(PAYLOAD), DOMAIN, Set.of(AccessRight.REMOTE_WRITE));
        for (int i = 1; i < REGIONS; i++) {
            table.register(memory.allocate(PAYLOAD), DOMAIN, Set.of(AccessRight.REMOTE_WRITE));
        }
        RnicOptions inline = RnicOptions.defaults().withProgress(Progress.INLINE);
        idle = new Endpoint(inline, PAYLOAD, 64);
        peer = new Endpoint(RnicOptions.defaults(), PAYLOAD, 64);
        Endpoint.connect(idle, peer);
    }

    @TearDown
    public void close() {
        idle.close();
        peer.close();
    }

    /** The header of a Write segment. */
    @Benchmark
    public long encodeTagged() {
        header.wrap(slab.segment(), 2)
                .control(RdmapOpcode.WRITE, true)
                .stag(region.rkey())
                .to(region.baseAddress());
        return header.to();
    }

    /** The header of a Write segment, checked and decoded, from bytes that were just encoded. */
    @Benchmark
    public UlpduOutcome encodeAndDecodeTagged() {
        encodeTagged();
        return ulpdu.decode(slab.segment(), 2, DdpTagged.LENGTH + 64);
    }

    /** A peer's key among a thousand, its domain, right and bounds. */
    @Benchmark
    public Verdict checkKey() {
        return check.check(table, region.rkey(), DOMAIN, region.baseAddress(), 64, AccessRight.REMOTE_WRITE);
    }

    /** CRC32C of a small FPDU. */
    @Benchmark
    public int crc64() {
        return slab.crc32c(0, 64);
    }

    /** CRC32C of an FPDU of the default size. */
    @Benchmark
    public int crc32KiB() {
        return slab.crc32c(0, PAYLOAD);
    }

    /** 64 bytes from a region into the slab. */
    @Benchmark
    public Object copyOut64() {
        return region.copyOut(0, slab.segment(), 0, 64);
    }

    /** The payload of an FPDU of the default size, from a region into the slab. */
    @Benchmark
    public Object copyOut32KiB() {
        return region.copyOut(0, slab.segment(), 0, PAYLOAD);
    }

    /** A round of an INLINE RNIC whose only connection is idle: its engine's turn and the look at its sockets. */
    @Benchmark
    public int idleRound() {
        return idle.rnic.progress();
    }
}
