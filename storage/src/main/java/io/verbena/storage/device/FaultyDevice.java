package io.verbena.storage.device;

import io.verbena.storage.device.DeviceFault.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Injects faults into another device, for tests of file systems and of programs. */
public final class FaultyDevice extends WrappedDevice {
    private final List<DeviceFault> faults = new ArrayList<>();

    /** A device without faults yet. */
    public FaultyDevice(BlockDevice device) {
        super(device, false);
    }

    /** Adds a fault. */
    public synchronized FaultyDevice with(DeviceFault fault) {
        faults.add(fault);
        return this;
    }

    /** Uses one occurrence of the first fault of one of these kinds that concerns the blocks. */
    private synchronized Optional<Kind> occurs(Set<Kind> kinds, long block, long count) {
        for (int i = 0; i < faults.size(); i++) {
            DeviceFault fault = faults.get(i);
            if (kinds.contains(fault.kind()) && fault.concerns(block, count)) {
                if (fault.times() > 1) {
                    faults.set(i, new DeviceFault(fault.kind(), fault.firstBlock(), fault.blocks(), fault.times() - 1));
                } else {
                    faults.remove(i);
                }
                return Optional.of(fault.kind());
            }
        }
        return Optional.empty();
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        if (occurs(EnumSet.of(Kind.READ_ERROR), block, count).isPresent()) {
            return DeviceStatus.READ_ERROR;
        }
        return device().read(block, count, buffer, offset);
    }

    @Override
    public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        Optional<Kind> fault = occurs(EnumSet.of(Kind.WRITE_ERROR, Kind.TORN_WRITE, Kind.NO_SPACE), block, count);
        if (fault.isEmpty()) {
            return device().write(block, count, buffer, offset, durable);
        }
        if (fault.get() == Kind.TORN_WRITE) {
            tear(block, count, buffer, offset);
        }
        return fault.get() == Kind.NO_SPACE ? DeviceStatus.NO_SPACE : DeviceStatus.WRITE_ERROR;
    }

    private void tear(long block, int count, MemorySegment buffer, long offset) {
        int whole = count / 2;
        device().write(block, whole, buffer, offset, false);
        if (count % 2 == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment torn = arena.allocate(blockBytes());
            device().read(block + whole, 1, torn, 0);
            MemorySegment.copy(buffer, offset + (long) whole * blockBytes(), torn, 0, blockBytes() / 2);
            device().write(block + whole, 1, torn, 0, false);
        }
    }

    @Override
    public boolean deallocates() {
        return device().deallocates();
    }

    @Override
    public DeviceStatus deallocate(long block, long count) {
        return device().deallocate(block, count);
    }

    @Override
    public DeviceStatus flush() {
        Optional<Kind> fault = occurs(EnumSet.of(Kind.LOST_FLUSH, Kind.FLUSH_ERROR), 0, Long.MAX_VALUE);
        if (fault.isEmpty()) {
            return device().flush();
        }
        return fault.get() == Kind.FLUSH_ERROR ? DeviceStatus.WRITE_ERROR : DeviceStatus.DONE;
    }
}
