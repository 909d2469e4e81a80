package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import java.lang.foreign.MemorySegment;

/** The device of a command that has none: it has one block and refuses everything. */
final class NoDevice implements BlockDevice {
    static final NoDevice INSTANCE = new NoDevice();

    private NoDevice() {}

    @Override
    public int blockBytes() {
        return 512;
    }

    @Override
    public long blocks() {
        return 1;
    }

    @Override
    public boolean readOnly() {
        return true;
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        return DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        return DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus flush() {
        return DeviceStatus.NOT_READY;
    }

    @Override
    public void close() {}
}
