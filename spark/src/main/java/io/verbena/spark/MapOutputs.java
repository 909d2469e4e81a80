package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The map outputs of this executor that peers can read. An output is registered when a peer asks for it first: a mapping of its data file
 * for remote reads only, or, if it is small, a copy in a region that it shares with others of its shuffle. So outputs that only tasks of
 * this executor read are never registered, and those that arrive from a decommissioned executor are found like others.
 */
final class MapOutputs implements AutoCloseable {

    private static final long FIRST_SHARED_BYTES = 1 << 17;
    private static final long MOST_SHARED_BYTES = 1 << 22;

    /** Where Spark keeps the output of a map task. */
    interface Location {

        Path data(int shuffle, long map);

        /** The file with the offsets of the partitions, and the length of the data, as big endian numbers of 8 bytes. */
        Path index(int shuffle, long map);
    }

    private final ProtectionDomain domain;
    private final ShuffleSettings.Pool pool;
    private final Location location;
    private final ShuffleFigures figures;
    private final AtomicLong sharedBytes = new AtomicLong();
    private final HeldShuffles held;
    private final Map<Integer, Shuffle> shuffles = new ConcurrentHashMap<>();

    MapOutputs(
            ProtectionDomain domain,
            ShuffleSettings.Pool pool,
            Location location,
            ShuffleFigures figures,
            HeldShuffles held) {
        this.domain = domain;
        this.pool = pool;
        this.location = location;
        this.figures = figures;
        this.held = held;
    }

    /**
     * An output, which is registered if it was not yet.
     *
     * @throws IOException if it does not exist, is not complete, or cannot be mapped
     */
    MapOutput open(int shuffle, long map) throws IOException {
        Shuffle all = shuffles.computeIfAbsent(shuffle, Shuffle::new);
        MapOutput known = all.outputs.get(map);
        return known != null ? known : all.register(map);
    }

    /** Revokes the keys of all outputs of a shuffle, which was removed before. After the return no peer reads them. */
    void remove(int shuffle) {
        Shuffle all = shuffles.remove(shuffle);
        if (all != null) {
            all.close();
        }
    }

    @Override
    public void close() {
        List.copyOf(shuffles.keySet()).forEach(this::remove);
    }

    /** The outputs of a shuffle. */
    private final class Shuffle {
        private final int number;
        private final Map<Long, MapOutput> outputs = new ConcurrentHashMap<>();

        // Guarded by this.
        private final List<MemoryRegion> regions = new ArrayList<>();
        private Optional<MemoryRegion> shared = Optional.empty();
        private long sharedUsed;
        private long sharedHere;

        private Shuffle(int number) {
            this.number = number;
        }

        private synchronized MapOutput register(long map) throws IOException {
            MapOutput known = outputs.get(map);
            if (known != null) {
                return known;
            }
            if (!held.hold(number)) {
                throw new IOException("shuffle " + number + " was removed");
            }
            long[] offsets = offsets(location.index(number, map));
            long length = offsets[offsets.length - 1];
            Path data = location.data(number, map);
            long found = length == 0 ? 0 : Files.size(data);
            if (found != length) {
                throw new IOException("the output of map task " + map + " of shuffle " + number + " has " + found
                        + " bytes, and its index says " + length);
            }
            MapOutput output = length == 0 ? new MapOutput(Optional.empty(), 0, offsets) : registered(data, offsets);
            outputs.put(map, output);
            return output;
        }

        private MapOutput registered(Path data, long[] offsets) throws IOException {
            long length = offsets[offsets.length - 1];
            if (length <= pool.outputBytes() && hasRoom(length)) {
                long base = sharedUsed;
                read(data, shared.orElseThrow().segment().asSlice(base, length));
                sharedUsed += length;
                return new MapOutput(shared, base, offsets);
            }
            MemoryRegion region = domain.map(data, 0, length, AccessRight.REMOTE_READ);
            added(region);
            return new MapOutput(Optional.of(region), 0, offsets);
        }

        /** Whether the shared region, or a new one, has space for these bytes. */
        private boolean hasRoom(long bytes) {
            if (shared.isPresent() && shared.orElseThrow().length() - sharedUsed >= bytes) {
                return true;
            }
            long next = shared.map(last -> Math.min(2 * last.length(), MOST_SHARED_BYTES))
                    .orElse(FIRST_SHARED_BYTES);
            next = Math.max(next, bytes);
            if (sharedBytes.addAndGet(next) > pool.mostBytes()) {
                sharedBytes.addAndGet(-next);
                return false;
            }
            sharedHere += next;
            MemoryRegion region = domain.allocate(next, AccessRight.REMOTE_READ);
            added(region);
            shared = Optional.of(region);
            sharedUsed = 0;
            return true;
        }

        private void added(MemoryRegion region) {
            regions.add(region);
            figures.registeredBytes.addAndGet(region.length());
            figures.registeredRegions.incrementAndGet();
        }

        private synchronized void close() {
            for (MemoryRegion region : regions) {
                region.close();
                figures.registeredBytes.addAndGet(-region.length());
                figures.registeredRegions.decrementAndGet();
            }
            regions.clear();
            outputs.clear();
            shared = Optional.empty();
            sharedBytes.addAndGet(-sharedHere);
            sharedHere = 0;
        }
    }

    private static void read(Path data, MemorySegment to) throws IOException {
        ByteBuffer left = to.asByteBuffer();
        try (FileChannel file = FileChannel.open(data)) {
            while (left.hasRemaining()) {
                if (file.read(left) < 0) {
                    throw new EOFException(data.getFileName() + " was shortened while it was read");
                }
            }
        }
    }

    private static long[] offsets(Path index) throws IOException {
        byte[] bytes = Files.readAllBytes(index);
        if (bytes.length < 2 * Long.BYTES || bytes.length % Long.BYTES != 0) {
            throw new IOException("the index " + index.getFileName() + " has " + bytes.length + " bytes");
        }
        long[] offsets = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(offsets);
        for (int i = 0; i < offsets.length; i++) {
            if (i == 0 ? offsets[i] != 0 : offsets[i] < offsets[i - 1]) {
                throw new IOException("offset " + i + " of the index " + index.getFileName() + " is " + offsets[i]);
            }
        }
        return offsets;
    }
}
