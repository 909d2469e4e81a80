package io.verbena.storage.device;

import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Delays every command of another device, for tests of time limits and of many commands under way. */
public final class SlowDevice extends WrappedDevice {
    private final Duration delay;

    /** A device each of whose commands takes {@code delay} longer. */
    public SlowDevice(BlockDevice device, Duration delay) {
        super(device, true);
        this.delay = delay;
    }

    /** Returns false if the thread was interrupted: the command then must not be executed. */
    private boolean delayed() {
        try {
            Thread.sleep(delay);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        return delayed() ? device().read(block, count, buffer, offset) : DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        return delayed() ? device().write(block, count, buffer, offset, durable) : DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus writeZeroes(long block, int count, boolean durable) {
        return delayed() ? device().writeZeroes(block, count, durable) : DeviceStatus.NOT_READY;
    }

    @Override
    public boolean deallocates() {
        return device().deallocates();
    }

    @Override
    public DeviceStatus deallocate(long block, long count) {
        return delayed() ? device().deallocate(block, count) : DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus compare(long block, int count, MemorySegment buffer, long offset) {
        return delayed() ? device().compare(block, count, buffer, offset) : DeviceStatus.NOT_READY;
    }

    @Override
    public DeviceStatus flush() {
        return delayed() ? device().flush() : DeviceStatus.NOT_READY;
    }
}
