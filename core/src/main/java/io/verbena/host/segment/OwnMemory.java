package io.verbena.host.segment;

import io.verbena.shm.SharedMemory;
import io.verbena.verbs.HostMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Shared memory of the host for the protocols of programs. */
public record OwnMemory(SharedMemory memory) implements HostMemory {

    @Override
    public HostMemory.Mapping create(int bytes) throws IOException {
        return new Mapped(memory.create(bytes));
    }

    @Override
    public HostMemory.Mapping open(long process, int handle, int bytes) throws IOException {
        return new Mapped(memory.open(process, handle, bytes));
    }

    private record Mapped(SharedMemory.Mapped mapped) implements HostMemory.Mapping {
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
