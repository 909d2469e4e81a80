package io.verbena.storage.client;

import io.verbena.storage.host.BlockRequest;
import io.verbena.storage.host.RequestOwner;
import io.verbena.storage.wire.IoOpcode;
import org.jspecify.annotations.Nullable;

/**
 * An operation that can be used again and again, without an object for each use: set it, submit it, and set it again when the listener was
 * called. One thread at a time uses it.
 */
public final class DiskOperation {
    private final HostDriver driver;
    private final Disk disk;
    private final DiskListener listener;
    private final BlockRequest request;
    private @Nullable DiskMemory memory;
    private volatile boolean underWay;
    private boolean set;

    /** The operation that was submitted before this one. */
    @Nullable
    DiskOperation earlier;

    DiskOperation(HostDriver driver, Disk disk, DiskListener listener) {
        this.driver = driver;
        this.disk = disk;
        this.listener = listener;
        this.request = new BlockRequest(new Owner());
    }

    private final class Owner implements RequestOwner {
        @Override
        public void ended(BlockRequest ended) {
            DiskOperation.this.ended();
        }
    }

    /** Reads {@code lengthBytes} bytes from {@code firstBlock} into memory. */
    public DiskOperation read(long firstBlock, DiskMemory into, long offset, long lengthBytes) {
        return transfer(IoOpcode.READ, firstBlock, into, offset, lengthBytes, false);
    }

    /** Writes blocks. */
    public DiskOperation write(long firstBlock, DiskMemory from, long offset, long lengthBytes) {
        return transfer(IoOpcode.WRITE, firstBlock, from, offset, lengthBytes, false);
    }

    /** Writes blocks, which are durable when the operation has ended. */
    public DiskOperation writeDurably(long firstBlock, DiskMemory from, long offset, long lengthBytes) {
        return transfer(IoOpcode.WRITE, firstBlock, from, offset, lengthBytes, true);
    }

    /** Compares blocks with memory. */
    public DiskOperation compare(long firstBlock, DiskMemory with, long offset, long lengthBytes) {
        return transfer(IoOpcode.COMPARE, firstBlock, with, offset, lengthBytes, false);
    }

    /** Makes all writes durable that have ended before. */
    public DiskOperation flush() {
        return without(IoOpcode.FLUSH, 0, 0);
    }

    /** Fills blocks with zeros. */
    public DiskOperation writeZeroes(long firstBlock, long blocks) {
        return range(IoOpcode.WRITE_ZEROES, firstBlock, blocks);
    }

    /** Tells the target that the contents of blocks are no longer needed. What they read as afterwards is up to the target. */
    public DiskOperation discard(long firstBlock, long blocks) {
        return range(IoOpcode.DATASET_MANAGEMENT, firstBlock, blocks);
    }

    /** Lets the target read blocks, without a transfer. */
    public DiskOperation verify(long firstBlock, long blocks) {
        return range(IoOpcode.VERIFY, firstBlock, blocks);
    }

    DiskOperation transfer(
            IoOpcode opcode, long firstBlock, DiskMemory with, long offset, long lengthBytes, boolean durable) {
        requireIdle();
        if (!with.of(driver.memories())) {
            throw new IllegalArgumentException("The memory was allocated by another client; allocate it by this one.");
        }
        long size = with.segment().byteSize();
        if (offset < 0 || lengthBytes <= 0 || offset > size - lengthBytes) {
            throw new IndexOutOfBoundsException(
                    lengthBytes + " bytes at " + offset + " are not within memory of " + size + " bytes.");
        }
        long blocks = disk.blocks(lengthBytes);
        disk.requireRange(firstBlock, blocks);
        memory = with;
        request.set(opcode, disk.namespace(), firstBlock, blocks, durable).data(with.number(), offset);
        set = true;
        return this;
    }

    private DiskOperation range(IoOpcode opcode, long firstBlock, long blocks) {
        disk.requireRange(firstBlock, blocks);
        return without(opcode, firstBlock, blocks);
    }

    private DiskOperation without(IoOpcode opcode, long firstBlock, long blocks) {
        requireIdle();
        memory = null;
        request.set(opcode, disk.namespace(), firstBlock, blocks, false);
        set = true;
        return this;
    }

    private void requireIdle() {
        if (underWay) {
            throw new IllegalStateException("The operation is under way; set it again when its listener was called.");
        }
    }

    /** Begins the operation. The listener is called when it has ended, whatever happens. */
    public void submit() {
        begin();
        driver.submit(this);
    }

    private void begin() {
        requireIdle();
        if (!set) {
            throw new IllegalStateException("The operation is not set; call read, write or another one first.");
        }
        DiskMemory used = memory;
        if (used != null) {
            used.use();
        }
        set = false;
        underWay = true;
    }

    BlockRequest request() {
        return request;
    }

    void ended() {
        DiskMemory used = memory;
        if (used != null) {
            used.release();
        }
        underWay = false;
        driver.call(listener, this);
    }

    /** Whether the operation is under way. */
    public boolean underWay() {
        return underWay;
    }

    /** Whether the last use succeeded. */
    public boolean succeeded() {
        return request.status() == BlockRequest.SUCCESS;
    }

    /** Why the last use failed. */
    public DiskException failure() {
        return DiskException.of(request.status(), driver.reason());
    }

    /** The status of the last use: 0, a status field of NVMe, or negative if there is none. */
    public int status() {
        return request.status();
    }

    /** The disk. */
    public Disk disk() {
        return disk;
    }
}
