package io.verbena.examples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.*;
import io.verbena.verbs.Rnic;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

public class SparseDisk implements BlockDevice { // a disk of 1 TiB that has only the blocks that were written
    private static final byte[] ZEROES = new byte[4096];
    private final Map<Long, byte[]> blocks = new ConcurrentHashMap<>();

    public static void main(String... args) throws Exception {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem("nqn.2026-01.org.example:sparse", "serial-1", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, new SparseDisk(), UUID.nameUUIDFromBytes("sparse".getBytes())));
        InetSocketAddress address = new InetSocketAddress(Integer.getInteger("port", 4420));
        DiskServer server = DiskServer.start(Rnic.open(), target, address);
        System.out.println("Listening at " + server.localAddress());
        Thread.currentThread().join(); // until the process is ended
    }

    @Override
    public int blockBytes() {
        return 4096;
    }

    @Override
    public long blocks() {
        return 1L << 28;
    }

    @Override
    public DeviceStatus read(long first, int count, MemorySegment buffer, long offset) {
        for (int i = 0; i < count; i++) {
            MemorySegment.copy(blocks.getOrDefault(first + i, ZEROES), 0, buffer, JAVA_BYTE, offset + i * 4096L, 4096);
        }
        return DeviceStatus.DONE;
    }

    @Override
    public DeviceStatus write(long first, int count, MemorySegment buffer, long offset, boolean durable) {
        for (int i = 0; i < count; i++) {
            blocks.put(first + i, buffer.asSlice(offset + i * 4096L, 4096).toArray(JAVA_BYTE));
        }
        return DeviceStatus.DONE;
    }

    @Override
    public DeviceStatus flush() {
        return DeviceStatus.DONE; // nothing outlives the process
    }
}
