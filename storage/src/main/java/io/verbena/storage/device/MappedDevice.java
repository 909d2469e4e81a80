package io.verbena.storage.device;

import io.verbena.base.FreedPages;
import io.verbena.base.HugeMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * A file as a disk, through a mapping: reads and writes are copies from and to the page cache, without a system call. The file is
 * sparse: zeroed and discarded blocks are freed, if the file system can do that. If the file is truncated or the file system is full, an
 * access fails; the operation then reports an error and the process continues. Blocks that are not in the page cache are fetched by another
 * thread than the one that serves all hosts.
 */
public final class MappedDevice implements BlockDevice {
    private final Arena arena = Arena.ofShared();
    private final Geometry geometry;
    private final boolean readOnly;
    private final DiskFile file;
    private final FileChannel channel;
    private final MemorySegment memory;
    private final ResidentBlocks resident;
    private final boolean holes;

    private MappedDevice(DiskFile file, Geometry geometry, boolean readOnly) throws IOException {
        this.file = file;
        this.channel = file.channel();
        this.geometry = geometry;
        this.readOnly = readOnly;
        MapMode mode = readOnly ? MapMode.READ_ONLY : MapMode.READ_WRITE;
        this.memory = channel.map(mode, 0, geometry.lengthBytes(), arena);
        HugeMemory.ofThisProcess().advise(memory);
        resident = new ResidentBlocks(memory);
        holes = !readOnly && Holes.possible(memory, file.path());
    }

    /** Opens a file for reading and writing, and extends the file to {@code lengthBytes} if it is shorter. */
    public static MappedDevice open(Path file, long lengthBytes, int blockBytes) throws IOException {
        DiskFile opened = DiskFile.open(file, false);
        return closingOnFailure(opened, lengthBytes, blockBytes, false);
    }

    /** Opens a file that hosts cannot change. */
    public static MappedDevice openReadOnly(Path file, int blockBytes) throws IOException {
        return closingOnFailure(DiskFile.open(file, true), 0, blockBytes, true);
    }

    /**
     * The same file as a larger disk, and extends the file. This device remains usable, so that commands under way end; close both.
     *
     * @throws IllegalArgumentException if the disk would become smaller
     */
    public MappedDevice enlarged(long lengthBytes) throws IOException {
        if (readOnly || lengthBytes < geometry.lengthBytes()) {
            throw new IllegalArgumentException("A disk of " + geometry.lengthBytes()
                    + " bytes can become larger unless it is read-only, not " + lengthBytes + " bytes.");
        }
        return closingOnFailure(file.share(), lengthBytes, blockBytes(), false);
    }

    private static MappedDevice closingOnFailure(DiskFile file, long leastBytes, int blockBytes, boolean readOnly)
            throws IOException {
        try {
            Geometry geometry = Geometry.of(Math.max(leastBytes, file.channel().size()), blockBytes);
            return new MappedDevice(file, geometry, readOnly);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public int blockBytes() {
        return geometry.blockBytes();
    }

    @Override
    public long blocks() {
        return geometry.blocks();
    }

    @Override
    public boolean readOnly() {
        return readOnly;
    }

    /** For a block that is not in the page cache. */
    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public boolean mayWait(long block, int count) {
        return !resident.contains(block * blockBytes(), (long) count * blockBytes());
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        try {
            MemorySegment.copy(memory, block * blockBytes(), buffer, offset, (long) count * blockBytes());
            return DeviceStatus.DONE;
        } catch (InternalError e) {
            return DeviceStatus.READ_ERROR; // the file was truncated: SIGBUS
        }
    }

    @Override
    public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        if (readOnly) {
            return DeviceStatus.READ_ONLY;
        }
        long at = block * blockBytes();
        long bytes = (long) count * blockBytes();
        try {
            MemorySegment.copy(buffer, offset, memory, at, bytes);
            if (durable) {
                memory.asSlice(at, bytes).force();
            }
            return DeviceStatus.DONE;
        } catch (InternalError e) {
            return shortened() ? DeviceStatus.WRITE_ERROR : DeviceStatus.NO_SPACE;
        } catch (UncheckedIOException e) {
            return DeviceStatus.WRITE_ERROR;
        }
    }

    private boolean shortened() {
        try {
            return channel.size() < geometry.lengthBytes();
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public DeviceStatus writeZeroes(long block, int count, boolean durable) {
        if (readOnly) {
            return DeviceStatus.READ_ONLY;
        }
        MemorySegment range = memory.asSlice(block * blockBytes(), (long) count * blockBytes());
        try {
            if (!holes || !FreedPages.OF_FILE.zero(range, 0, range.byteSize())) {
                range.fill((byte) 0);
            }
            if (durable) {
                range.force();
                channel.force(false); // a hole is not part of the mapping
            }
            return DeviceStatus.DONE;
        } catch (InternalError e) {
            return shortened() ? DeviceStatus.WRITE_ERROR : DeviceStatus.NO_SPACE;
        } catch (UncheckedIOException | IOException e) {
            return DeviceStatus.WRITE_ERROR;
        }
    }

    @Override
    public boolean deallocates() {
        return holes;
    }

    @Override
    public DeviceStatus deallocate(long block, long count) {
        if (readOnly) {
            return DeviceStatus.READ_ONLY;
        }
        try {
            return holes && FreedPages.OF_FILE.zero(memory, block * blockBytes(), count * blockBytes())
                    ? DeviceStatus.DONE
                    : DeviceStatus.WRITE_ERROR;
        } catch (InternalError e) {
            return shortened() ? DeviceStatus.WRITE_ERROR : DeviceStatus.NO_SPACE;
        }
    }

    @Override
    public DeviceStatus flush() {
        if (readOnly) {
            return DeviceStatus.DONE;
        }
        try {
            memory.force();
            channel.force(false);
            return DeviceStatus.DONE;
        } catch (UncheckedIOException | IOException e) {
            return DeviceStatus.WRITE_ERROR;
        }
    }

    /** Makes everything durable and closes the file. No operation may be under way. */
    @Override
    public void close() {
        flush();
        arena.close();
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The file of a disk could not be closed.", e);
        }
    }
}
