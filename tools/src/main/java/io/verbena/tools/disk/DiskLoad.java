package io.verbena.tools.disk;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskMemory;
import io.verbena.storage.client.DiskOperation;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Latencies;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Keeps commands under way on a disk for some time. One thread starts all of them. */
public final class DiskLoad {
    private static final long SEED = 4711;
    private static final long LONGEST_NS = 120_000_000_000L;

    private final Disk disk;
    private final LoadPattern pattern;
    private final int blockBytes;
    private final DiskMemory memory;
    private final LinkedBlockingQueue<Slot> ended = new LinkedBlockingQueue<>();
    private final Deque<Slot> idle = new ArrayDeque<>();
    private final Latencies latencies = new Latencies();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final long places;
    private long nextPlace;
    private int underWay;

    private final class Slot {
        private final DiskOperation operation = disk.operation(_ -> ended.add(this));
        private final long at;
        private long startNs;
        private long place;
        private boolean reads;

        Slot(long at) {
            this.at = at;
        }
    }

    /**
     * A load.
     *
     * @param blockBytes bytes of a command
     * @param depth commands under way
     */
    public DiskLoad(Disk disk, LoadPattern pattern, int blockBytes, int depth) {
        this.disk = disk;
        this.pattern = pattern;
        this.blockBytes = blockBytes;
        places = disk.bytes() / blockBytes;
        memory = disk.allocate((long) depth * blockBytes);
        for (int i = 0; i < depth; i++) {
            idle.add(new Slot((long) i * blockBytes));
        }
    }

    /** How long commands took. */
    public Latencies latencies() {
        return latencies;
    }

    /** Lets some time pass, in which commands are started and end. */
    public void run(long forNs) throws Failure, InterruptedException {
        long startNs = System.nanoTime();
        for (long nowNs = startNs; nowNs - startNs < forNs; nowNs = System.nanoTime()) {
            while (!idle.isEmpty()) {
                start(idle.remove());
            }
            take(Math.min(forNs, 50_000_000));
        }
    }

    /** Waits for the commands that are under way. */
    public void finish() throws Failure, InterruptedException {
        long startNs = System.nanoTime();
        while (underWay > 0) {
            take(LONGEST_NS / 100);
            if (System.nanoTime() - startNs > LONGEST_NS) {
                throw new Failure(underWay + " commands have not ended after " + LONGEST_NS / 1_000_000_000 + " s");
            }
        }
        memory.close();
    }

    private void start(Slot slot) {
        slot.place = pattern.random() ? random.nextLong(places) : nextPlace++ % places;
        slot.reads = pattern.reads(random);
        long firstBlock = slot.place * (blockBytes / disk.blockBytes());
        slot.startNs = System.nanoTime();
        underWay++;
        if (slot.reads) {
            slot.operation.read(firstBlock, memory, slot.at, blockBytes).submit();
        } else {
            fill(slot);
            slot.operation.write(firstBlock, memory, slot.at, blockBytes).submit();
        }
    }

    private void take(long forNs) throws Failure, InterruptedException {
        Optional<Slot> next = Optional.ofNullable(ended.poll(forNs, TimeUnit.NANOSECONDS));
        if (next.isEmpty()) {
            return;
        }
        Slot slot = next.get();
        underWay--;
        latencies.record(System.nanoTime() - slot.startNs);
        if (!slot.operation.succeeded()) {
            throw new Failure(String.valueOf(slot.operation.failure().getMessage()), slot.operation.failure());
        }
        if (slot.reads && pattern == LoadPattern.VERIFY) {
            check(slot);
        }
        idle.add(slot);
    }

    // Every eight bytes have their place, so that a block that is somewhere else, or torn, is noticed.

    private void fill(Slot slot) {
        MemorySegment data = memory.segment();
        for (int i = 0; i < blockBytes; i += Long.BYTES) {
            data.set(ValueLayout.JAVA_LONG_UNALIGNED, slot.at + i, word(slot.place, i));
        }
    }

    private static long word(long place, int at) {
        return (place << 24 | at) * 0x9E37_79B9_7F4A_7C15L;
    }

    private void check(Slot slot) throws Failure {
        MemorySegment data = memory.segment();
        for (int i = 0; i < blockBytes; i += Long.BYTES) {
            if (data.get(ValueLayout.JAVA_LONG_UNALIGNED, slot.at + i) != word(slot.place, i)) {
                throw new Failure(
                        "Byte " + (slot.place * blockBytes + i) + " of the disk differs from what was written");
            }
        }
    }

    /** Writes all places once, in order, for a load that verifies. */
    public void prepare() throws Failure, InterruptedException {
        for (long place = 0; place < places; place++) {
            while (idle.isEmpty()) {
                take(LONGEST_NS / 100);
            }
            Slot slot = idle.remove();
            slot.place = place;
            slot.reads = false;
            fill(slot);
            slot.startNs = System.nanoTime();
            underWay++;
            slot.operation
                    .write(place * (blockBytes / disk.blockBytes()), memory, slot.at, blockBytes)
                    .submit();
        }
        while (underWay > 0) {
            take(LONGEST_NS / 100);
        }
    }
}
