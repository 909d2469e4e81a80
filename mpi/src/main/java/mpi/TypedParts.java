package mpi;

import io.verbena.messaging.collective.Blocks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.Arrays;

/** Elements of a buffer for each rank, each with a type of its own, at displacements in bytes; and their packed bytes. */
final class TypedParts {

    private final MemorySegment memory;
    private final int[] counts;
    private final int[] displacements;
    private final Datatype[] types;
    private final Blocks blocks;
    private final MemorySegment packed;

    /** The elements for these many ranks: the arrays of a program may be longer. */
    TypedParts(Buffer buffer, int[] counts, int[] displacements, Datatype[] types, int ranks) throws MPIException {
        if (counts.length < ranks || displacements.length < ranks || types.length < ranks) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    "there are " + counts.length + " counts, " + displacements.length + " displacements and "
                            + types.length + " types for " + ranks + " ranks");
        }
        memory = Payload.memory(buffer);
        this.counts = Arrays.copyOf(counts, ranks);
        this.displacements = Arrays.copyOf(displacements, ranks);
        this.types = Arrays.copyOf(types, ranks);
        long[] lengths = new long[ranks];
        for (int i = 0; i < ranks; i++) {
            lengths[i] = checked(i);
        }
        blocks = Blocks.of(lengths);
        packed =
                Arena.ofAuto().allocate(Math.max(1, blocks.total()), Long.BYTES).asSlice(0, blocks.total());
    }

    private long checked(int rank) throws MPIException {
        int count = counts[rank];
        int at = displacements[rank];
        if (count < 0) {
            throw new MPIException(MPI.ERR_COUNT, "a count must not be negative: " + count);
        }
        if (types[rank].isNull()) {
            throw new MPIException(MPI.ERR_TYPE, "the type for rank " + rank + " is DATATYPE_NULL");
        }
        if (at < 0 || at > memory.byteSize()) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    "the displacement " + at + " is not within the " + memory.byteSize() + " bytes of the buffer");
        }
        types[rank].check(count, memory.byteSize() - at);
        return (long) count * types[rank].getSize();
    }

    Blocks blocks() {
        return blocks;
    }

    MemorySegment packed() {
        return packed;
    }

    private MemorySegment part(int rank) {
        return packed.asSlice(blocks.offset(rank), blocks.length(rank));
    }

    /** Copies the elements out of the buffer. */
    TypedParts pack() {
        for (int i = 0; i < counts.length; i++) {
            types[i].pack(memory.asSlice(displacements[i]), counts[i], part(i));
        }
        return this;
    }

    /** Copies the packed bytes into the buffer. */
    void unpack() {
        for (int i = 0; i < counts.length; i++) {
            types[i].unpack(part(i), blocks.length(i), memory.asSlice(displacements[i]));
        }
    }
}
