package io.verbena.host.segment;

import io.verbena.shm.SharedMemory;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Shared memory of the host for the protocols of programs. */
public record OwnMemory(SharedMemory memory) implements HostMemory {

    @Override
    public HostMemory.Mapping create(int bytes) throws IOException {
        return Mapped.of(memory.create(bytes));
    }

    @Override
    public HostMemory.Mapping open(long process, int handle, int bytes) throws IOException {
        return Mapped.of(memory.open(process, handle, bytes));
    }

    @Override
    public Optional<HostWait> newWait(int words) {
        return FutexWait.of(words);
    }

    /**
     * Memory whose address is known to waits also when it has been closed.
     *
     * @param length in bytes
     */
    record Mapped(SharedMemory.Mapped mapped, long address, int length) implements HostMemory.Mapping {

        private static Mapped of(SharedMemory.Mapped mapped) {
            ByteBuffer bytes = mapped.bytes();
            return new Mapped(mapped, MemorySegment.ofBuffer(bytes).address(), bytes.capacity());
        }

        @Override
        public boolean wake(int at) {
            return FutexWait.wake(address + at);
        }

        @Override
        public ByteBuffer bytes() {
            return mapped.bytes();
        }

        @Override
        public long process() {
            return mapped.process();
        }

        @Override
        public int handle() {
            return mapped.handle();
        }

        @Override
        public void shared() {
            mapped.shared();
        }

        @Override
        public void close() {
            mapped.close();
        }
    }
}
