package io.verbena.storage.device;

import io.verbena.storage.device.RecordEntry.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.Supplier;

/**
 * Records the commands that change another device, in the order in which the device executes them. {@link RecordReplay} gives the state
 * after each of them, so that a file system can be checked as if its host had stopped there. Commands that change the device are executed
 * one after the other. If the record cannot be written, that command and all later ones fail.
 */
public final class RecordingDevice extends WrappedDevice {
    private final WritableByteChannel out;
    private final ByteBuffer header = ByteBuffer.allocate(RecordEntry.LENGTH);
    private boolean failed;

    /** Records to a channel, which {@link #close} closes. */
    public RecordingDevice(BlockDevice device, WritableByteChannel out) {
        super(device, true);
        this.out = out;
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        return device().read(block, count, buffer, offset);
    }

    @Override
    public DeviceStatus compare(long block, int count, MemorySegment buffer, long offset) {
        return device().compare(block, count, buffer, offset);
    }

    @Override
    public synchronized DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        int bytes = count * blockBytes();
        byte[] data = buffer.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        return recorded(
                new RecordEntry(Kind.WRITE, block, count, durable, bytes),
                data,
                () -> device().write(block, count, MemorySegment.ofArray(data), 0, durable));
    }

    @Override
    public synchronized DeviceStatus writeZeroes(long block, int count, boolean durable) {
        return recorded(
                new RecordEntry(Kind.WRITE_ZEROES, block, count, durable, 0),
                new byte[0],
                () -> device().writeZeroes(block, count, durable));
    }

    @Override
    public boolean deallocates() {
        return device().deallocates();
    }

    @Override
    public synchronized DeviceStatus deallocate(long block, long count) {
        return recorded(
                new RecordEntry(Kind.DEALLOCATE, block, count, false, 0),
                new byte[0],
                () -> device().deallocate(block, count));
    }

    @Override
    public synchronized DeviceStatus flush() {
        return recorded(new RecordEntry(Kind.FLUSH, 0, 0, true, 0), new byte[0], device()::flush);
    }

    private DeviceStatus recorded(RecordEntry entry, byte[] data, Supplier<DeviceStatus> command) {
        if (failed) {
            return DeviceStatus.WRITE_ERROR;
        }
        DeviceStatus status = command.get();
        if (status == DeviceStatus.DONE) {
            try {
                append(entry, data);
            } catch (IOException e) {
                failed = true;
                return DeviceStatus.WRITE_ERROR;
            }
        }
        return status;
    }

    private void append(RecordEntry entry, byte[] data) throws IOException {
        header.clear();
        entry.writeTo(header);
        writeFully(header.flip());
        writeFully(ByteBuffer.wrap(data));
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    @Override
    public synchronized void close() {
        super.close();
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The record of a disk could not be closed.", e);
        }
    }
}
