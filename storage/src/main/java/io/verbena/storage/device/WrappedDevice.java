package io.verbena.storage.device;

/** A device that changes some commands of another one and passes the rest of its description. Commands are the subclass's. */
abstract class WrappedDevice implements BlockDevice {
    private final BlockDevice device;
    private final boolean waits;

    /**
     * Wraps a device, which is closed with this one.
     *
     * @param waits whether commands may wait although those of the device do not
     */
    WrappedDevice(BlockDevice device, boolean waits) {
        this.device = device;
        this.waits = waits;
    }

    final BlockDevice device() {
        return device;
    }

    @Override
    public final int blockBytes() {
        return device.blockBytes();
    }

    @Override
    public final long blocks() {
        return device.blocks();
    }

    @Override
    public final boolean readOnly() {
        return device.readOnly();
    }

    @Override
    public final boolean mayWait() {
        return waits || device.mayWait();
    }

    @Override
    public final boolean mayWait(long block, int count) {
        return waits || device.mayWait(block, count);
    }

    @Override
    public void close() {
        device.close();
    }
}
