package io.verbena.storage.client;

import io.verbena.storage.host.RemoteNamespace;
import io.verbena.storage.wire.IoOpcode;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/** A transfer from or into memory of the program, which is copied in chunks through memory that the target can access. */
final class Transfer {
    private final Disk disk;
    private final IoOpcode opcode;
    private final long firstBlock;
    private final MemorySegment memory;
    private final boolean durable;
    private final CompletableFuture<Void> future = new CompletableFuture<>();
    private long begunBytes;
    private int underWay;
    private boolean failed;

    Transfer(Disk disk, IoOpcode opcode, long firstBlock, MemorySegment memory, boolean durable) {
        this.disk = disk;
        this.opcode = opcode;
        this.firstBlock = firstBlock;
        this.memory = memory;
        this.durable = durable;
    }

    CompletableFuture<Void> future() {
        return future;
    }

    boolean hasMore() {
        return !failed && begunBytes < memory.byteSize();
    }

    /** Prepares the next chunk. Returns false if the memory cannot be read. */
    boolean begin(StagingChunk chunk) {
        long lengthBytes = Math.min(chunk.bytes(), memory.byteSize() - begunBytes);
        if (opcode != IoOpcode.READ && !copy(memory, begunBytes, chunk.segment(), 0, lengthBytes)) {
            return false;
        }
        RemoteNamespace namespace = disk.namespace();
        int blockBytes = namespace.blockBytes();
        chunk.set(this, begunBytes, lengthBytes);
        chunk.request().set(opcode, namespace, firstBlock + begunBytes / blockBytes, lengthBytes / blockBytes, durable);
        begunBytes += lengthBytes;
        underWay++;
        return true;
    }

    void ended(StagingChunk chunk, int status, String reason) {
        underWay--;
        if (status != 0) {
            fail(DiskException.of(status, reason));
        } else if (opcode == IoOpcode.READ && !failed) {
            copy(chunk.segment(), 0, memory, chunk.at(), chunk.lengthBytes());
        }
        if (!failed && underWay == 0 && !hasMore()) {
            future.complete(null);
        }
    }

    /** The program may have closed the arena of its memory, or truncated the file that is mapped there. */
    private boolean copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        try {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
            return true;
        } catch (RuntimeException | Error e) {
            fail(e);
            return false;
        }
    }

    void fail(Throwable why) {
        if (!failed) {
            failed = true;
            future.completeExceptionally(why);
        }
    }
}
