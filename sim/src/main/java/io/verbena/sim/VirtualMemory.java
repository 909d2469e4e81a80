package io.verbena.sim;

import io.verbena.port.StreamLoop;
import io.verbena.shm.SharedMemory;
import io.verbena.shm.SharedMemoryLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Memory that the hosts of a World share: all of them are processes of one machine then. */
final class VirtualMemory implements SharedMemory {

    /** Small, so that traffic wraps around and fills the rings. */
    private static final int RING_BYTES = 16 * 1024;

    private final Map<Integer, ByteBuffer> offered = new HashMap<>();
    private final VirtualBlocks blocks;
    private int lastHandle;

    /**
     * Nothing is shared.
     *
     * @param clock virtual time in nanoseconds
     */
    VirtualMemory(LongSupplier clock) {
        blocks = new VirtualBlocks(clock);
    }

    /** The streams of one engine through this memory. */
    StreamLoop around(StreamLoop sockets, EngineDriver driver, SimRandom random, boolean direct) {
        SharedMemoryLoop sharedMemoryLoop = new SharedMemoryLoop(sockets, this, random, RING_BYTES, direct);
        driver.rings(sharedMemoryLoop);
        return sharedMemoryLoop;
    }

    @Override
    public VirtualBlocks blocks() {
        return blocks;
    }

    @Override
    public Mapped create(int bytes) {
        lastHandle++;
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        offered.put(lastHandle, memory);
        return new Share(memory, lastHandle);
    }

    @Override
    public Mapped open(long process, int handle, int bytes) throws IOException {
        ByteBuffer memory = offered.get(handle);
        if (memory == null || memory.capacity() != bytes) {
            throw new IOException("no process offers memory " + handle + " of " + bytes + " bytes");
        }
        return new Share(memory, handle);
    }

    @Override
    public Optional<String> obstacle(SocketAddress remote) {
        return Optional.empty();
    }

    private final class Share implements Mapped {
        private final ByteBuffer memory;
        private final int handle;

        Share(ByteBuffer memory, int handle) {
            this.memory = memory;
            this.handle = handle;
        }

        @Override
        public ByteBuffer bytes() {
            return memory;
        }

        @Override
        public long process() {
            return 1;
        }

        @Override
        public int handle() {
            return handle;
        }

        @Override
        public void shared() {
            offered.remove(handle);
        }

        @Override
        public void close() {
            offered.remove(handle);
        }
    }
}
