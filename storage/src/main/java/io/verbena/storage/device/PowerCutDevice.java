package io.verbena.storage.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Gives another device a write cache that a power cut empties, for tests of file systems and databases. A read shows the newest data. A
 * flush or a durable write moves data to the medium. {@link #powerCut} decides for every sector of 512 bytes which of the versions since
 * the last flush the medium has, so that writes are lost, torn, and reordered.
 */
public final class PowerCutDevice extends WrappedDevice {
    private static final int SECTOR_BYTES = 512;

    private final int cachedVersions;
    private final TreeMap<Long, List<byte[]>> cache = new TreeMap<>();
    private int versions;

    /**
     * A device with an empty cache.
     *
     * @param medium where data are after a flush
     * @param cachedVersions most versions of blocks in the cache; a full cache moves all of them to the medium
     */
    public PowerCutDevice(BlockDevice medium, int cachedVersions) {
        super(medium, false);
        if (cachedVersions < 1) {
            throw new IllegalArgumentException("A cache has at least one block, not " + cachedVersions + ".");
        }
        this.cachedVersions = cachedVersions;
    }

    @Override
    public synchronized DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        DeviceStatus status = device().read(block, count, buffer, offset);
        if (status == DeviceStatus.DONE) {
            cache.subMap(block, block + count).forEach((cached, data) -> {
                long at = offset + (cached - block) * blockBytes();
                MemorySegment.copy(data.getLast(), 0, buffer, ValueLayout.JAVA_BYTE, at, blockBytes());
            });
        }
        return status;
    }

    @Override
    public synchronized DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        if (readOnly()) {
            return DeviceStatus.READ_ONLY;
        }
        for (int i = 0; i < count; i++) {
            MemorySegment data = buffer.asSlice(offset + (long) i * blockBytes(), blockBytes());
            cache.computeIfAbsent(block + i, _ -> new ArrayList<>()).add(data.toArray(ValueLayout.JAVA_BYTE));
            versions++;
        }
        if (durable) {
            return writeBack(cache.subMap(block, block + count), true);
        }
        return versions > cachedVersions ? writeBack(cache, false) : DeviceStatus.DONE;
    }

    /** Moves the newest versions to the medium. What the medium does not take remains in the cache. */
    private DeviceStatus writeBack(SortedMap<Long, List<byte[]>> range, boolean durable) {
        Iterator<Map.Entry<Long, List<byte[]>>> next = range.entrySet().iterator();
        while (next.hasNext()) {
            var entry = next.next();
            MemorySegment newest = MemorySegment.ofArray(entry.getValue().getLast());
            DeviceStatus status = device().write(entry.getKey(), 1, newest, 0, durable);
            if (status != DeviceStatus.DONE) {
                return status;
            }
            versions -= entry.getValue().size();
            next.remove();
        }
        return DeviceStatus.DONE;
    }

    @Override
    public synchronized DeviceStatus flush() {
        DeviceStatus status = writeBack(cache, false);
        return status == DeviceStatus.DONE ? device().flush() : status;
    }

    /** Cuts the power: the cache is empty afterwards. The same {@code random} gives the same result. */
    public synchronized DeviceStatus powerCut(RandomGenerator random) {
        MemorySegment merged = MemorySegment.ofArray(new byte[blockBytes()]);
        for (var entry : cache.entrySet()) {
            DeviceStatus status = device().read(entry.getKey(), 1, merged, 0);
            if (status == DeviceStatus.DONE) {
                choose(entry.getValue(), merged, random);
                status = device().write(entry.getKey(), 1, merged, 0, false);
            }
            if (status != DeviceStatus.DONE) {
                return status;
            }
        }
        cache.clear();
        versions = 0;
        return DeviceStatus.DONE;
    }

    private void choose(List<byte[]> data, MemorySegment merged, RandomGenerator random) {
        for (int at = 0; at < blockBytes(); at += SECTOR_BYTES) {
            int version = random.nextInt(data.size() + 1);
            if (version < data.size()) {
                MemorySegment.copy(data.get(version), at, merged, ValueLayout.JAVA_BYTE, at, SECTOR_BYTES);
            }
        }
    }

    @Override
    public void close() {
        flush();
        super.close();
    }
}
