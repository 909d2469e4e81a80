package io.verbena.storage.client;

import io.verbena.storage.host.RemoteNamespace;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A disk of a target. Any thread may call any method. Operations of any length are divided into commands; while the connection is lost
 * they wait, up to {@link io.verbena.storage.host.HostTimes#giveUpNs}.
 *
 * <p>Futures are completed by the thread of the client: what depends on one and waits must use the {@code …Async} methods. They fail with a
 * {@link DiskException}. A cancelled future does not stop its operation, which continues to use the memory.
 *
 * <p>A write is durable at the end of {@link #writeDurably}, or when a {@link #flush} that began after its end has ended.
 */
public final class Disk {
    private final HostDriver driver;
    private final RemoteNamespace namespace;
    private final ReentrantLock partialBlocks = new ReentrantLock();

    Disk(HostDriver driver, RemoteNamespace namespace) {
        this.driver = driver;
        this.namespace = namespace;
    }

    RemoteNamespace namespace() {
        return namespace;
    }

    HostDriver driver() {
        return driver;
    }

    /** Is held while a part of a block is changed, which is read and written again whole. */
    ReentrantLock partialBlocks() {
        return partialBlocks;
    }

    // ---- What it is

    /** The number of the namespace. */
    public int number() {
        return namespace.id();
    }

    /** What identifies the contents. */
    public UUID uuid() {
        return namespace.uuid();
    }

    /** Bytes of a block. */
    public int blockBytes() {
        return namespace.blockBytes();
    }

    /** Number of blocks, which can change while the client is connected. */
    public long blocks() {
        return namespace.blocks();
    }

    /** Number of bytes. */
    public long bytes() {
        return blocks() * blockBytes();
    }

    /** Whether writes fail. */
    public boolean readOnly() {
        return namespace.readOnly();
    }

    /** Whether the disk exists. Another one under its number is another disk. */
    public boolean present() {
        return namespace.present();
    }

    long blocks(long lengthBytes) {
        if (lengthBytes <= 0 || lengthBytes % blockBytes() != 0) {
            throw new IllegalArgumentException(
                    lengthBytes + " bytes are not a number of blocks of " + blockBytes() + " bytes.");
        }
        return lengthBytes / blockBytes();
    }

    void requireRange(long firstBlock, long blocks) {
        if (firstBlock < 0 || blocks <= 0 || firstBlock > blocks() - blocks) {
            throw new IndexOutOfBoundsException(
                    blocks + " blocks at " + firstBlock + " are not within a disk of " + blocks() + " blocks.");
        }
    }

    // ---- Futures

    /** Reads as many blocks as the segment has, from any memory that the thread of the client can access. */
    public CompletableFuture<Void> read(long firstBlock, MemorySegment into) {
        return transfer(IoOpcode.READ, firstBlock, into, false);
    }

    /** Reads into the remaining bytes of the buffer, whose position does not change. */
    public CompletableFuture<Void> read(long firstBlock, ByteBuffer into) {
        return read(firstBlock, MemorySegment.ofBuffer(into));
    }

    /** Writes blocks. */
    public CompletableFuture<Void> write(long firstBlock, MemorySegment from) {
        return transfer(IoOpcode.WRITE, firstBlock, from, false);
    }

    /** Writes the remaining bytes of the buffer, whose position does not change. */
    public CompletableFuture<Void> write(long firstBlock, ByteBuffer from) {
        return write(firstBlock, MemorySegment.ofBuffer(from));
    }

    /** Writes blocks, which are durable when the future completes. */
    public CompletableFuture<Void> writeDurably(long firstBlock, MemorySegment from) {
        return transfer(IoOpcode.WRITE, firstBlock, from, true);
    }

    /** Compares blocks with memory. */
    public CompletableFuture<Boolean> compare(long firstBlock, MemorySegment with) {
        return transfer(IoOpcode.COMPARE, firstBlock, with, false).handle((_, failure) -> {
            if (failure == null) {
                return true;
            }
            Throwable cause = failure instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : failure;
            if (cause instanceof DiskException refused
                    && (refused.status() & Status.CODE_MASK) == Status.COMPARE_FAILURE.code()) {
                return false;
            }
            throw new CompletionException(cause);
        });
    }

    private CompletableFuture<Void> transfer(IoOpcode opcode, long firstBlock, MemorySegment memory, boolean durable) {
        requireRange(firstBlock, blocks(memory.byteSize()));
        if (opcode == IoOpcode.READ && memory.isReadOnly()) {
            throw new IllegalArgumentException("The memory is read-only; blocks cannot be read into it.");
        }
        driver.requireAccessible(memory);
        Transfer transfer = new Transfer(this, opcode, firstBlock, memory, durable);
        driver.begin(transfer);
        return transfer.future();
    }

    /** Makes all writes durable whose futures completed before. */
    public CompletableFuture<Void> flush() {
        OperationFuture future = new OperationFuture();
        operation(future).flush().submit();
        return future;
    }

    /** Fills blocks with zeros. */
    public CompletableFuture<Void> writeZeroes(long firstBlock, long blocks) {
        OperationFuture future = new OperationFuture();
        operation(future).writeZeroes(firstBlock, blocks).submit();
        return future;
    }

    /** Tells the target that the contents of blocks are no longer needed. What they read as afterwards is up to the target. */
    public CompletableFuture<Void> discard(long firstBlock, long blocks) {
        OperationFuture future = new OperationFuture();
        operation(future).discard(firstBlock, blocks).submit();
        return future;
    }

    /** Lets the target read blocks, without a transfer; it fails if one cannot be read. */
    public CompletableFuture<Void> verify(long firstBlock, long blocks) {
        OperationFuture future = new OperationFuture();
        operation(future).verify(firstBlock, blocks).submit();
        return future;
    }

    private static final class OperationFuture extends CompletableFuture<Void> implements DiskListener {
        @Override
        public void ended(DiskOperation operation) {
            if (operation.succeeded()) {
                complete(null);
            } else {
                completeExceptionally(operation.failure());
            }
        }
    }

    // ---- Without objects

    /** Memory for {@link DiskOperation}s of all disks of the client. */
    public DiskMemory allocate(long bytes) {
        return driver.memories().allocate(bytes);
    }

    /** A new operation, which can be used again and again. */
    public DiskOperation operation(DiskListener listener) {
        return new DiskOperation(driver, this, listener);
    }

    // ---- Bytes

    /**
     * The disk as a file of fixed size: reads and writes at any offset, with any length. A write that begins or ends within a block
     * reads and writes that block whole; channels of this object exclude each other meanwhile, other hosts do not. Interrupting a thread that
     * waits in the channel closes it.
     */
    public SeekableByteChannel channel() {
        return new DiskChannel(this);
    }
}
