package io.verbena.storage.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A disk. Implement it to give hosts a disk of your own.
 *
 * <p>Several threads may call it at once. The caller has checked that blocks are within the device and that it is writable. Errors are
 * values, so that a failed block does not end the connection of a host. A write is durable after the next {@link #flush} that began
 * after the write returned, or at once if the caller asks for that.
 */
public interface BlockDevice extends AutoCloseable {

    /** Bytes per block: 512, 1024, 2048 or 4096. */
    int blockBytes();

    /** Number of blocks. */
    long blocks();

    /** Whether hosts cannot write. */
    default boolean readOnly() {
        return false;
    }

    /**
     * Whether {@link #read} and {@link #write} may wait, for a medium or for another machine. A server then calls them in another thread,
     * because the thread that serves all hosts must not wait. All other commands are always executed there.
     */
    default boolean mayWait() {
        return true;
    }

    /** The same for these blocks, for a device that has some of them at hand. The server may ask for each command. */
    default boolean mayWait(long block, int count) {
        return mayWait();
    }

    /** Reads {@code count} blocks into the buffer. */
    DeviceStatus read(long block, int count, MemorySegment buffer, long offset);

    /** Writes {@code count} blocks from the buffer; if {@code durable}, returns when they are on the medium. */
    DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable);

    /** Makes all writes durable that returned before the call. */
    DeviceStatus flush();

    /** Zeroes blocks. */
    default DeviceStatus writeZeroes(long block, int count, boolean durable) {
        for (int i = 0; i < count; i++) {
            DeviceStatus status = write(block + i, 1, Zeroes.BLOCK, 0, durable && i == count - 1);
            if (status != DeviceStatus.DONE) {
                return status;
            }
        }
        return durable ? flush() : DeviceStatus.DONE;
    }

    /** Whether {@link #deallocate} frees blocks, which read as zeros afterwards. Hosts are offered that command only then. */
    default boolean deallocates() {
        return false;
    }

    /** The contents of the blocks are no longer needed: frees and zeroes them. Not called unless {@link #deallocates}. */
    default DeviceStatus deallocate(long block, long count) {
        return DeviceStatus.DONE;
    }

    /** Compares blocks with the buffer. */
    default DeviceStatus compare(long block, int count, MemorySegment buffer, long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stored = arena.allocate(blockBytes());
            for (int i = 0; i < count; i++) {
                DeviceStatus status = read(block + i, 1, stored, 0);
                if (status != DeviceStatus.DONE) {
                    return status;
                }
                long at = offset + (long) i * blockBytes();
                if (MemorySegment.mismatch(stored, 0, blockBytes(), buffer, at, at + blockBytes()) >= 0) {
                    return DeviceStatus.DIFFERENT;
                }
            }
        }
        return DeviceStatus.DONE;
    }

    /** Releases what the device holds. */
    @Override
    default void close() {}
}
