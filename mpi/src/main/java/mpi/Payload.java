package mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import org.jspecify.annotations.Nullable;

/** The elements of a buffer of the program as memory: the buffer itself, or a copy where elements have gaps or the array is one of booleans. */
final class Payload {

    /** No elements. */
    static final Payload NONE = new Payload(MemorySegment.NULL, MemorySegment.NULL, MPI.BYTE, new boolean[0]);

    private final MemorySegment segment;
    private final MemorySegment memory;
    private final Datatype type;
    private final boolean[] booleans;

    private Payload(MemorySegment segment, MemorySegment memory, Datatype type, boolean[] booleans) {
        this.segment = segment;
        this.memory = memory;
        this.type = type;
        this.booleans = booleans;
    }

    /** The elements of a buffer whose bytes are sent, or kept where nothing is received. */
    static Payload of(@Nullable Object buffer, int count, Datatype type) throws MPIException {
        if (count < 0) {
            throw new MPIException(MPI.ERR_COUNT, "a count must not be negative: " + count);
        }
        if (type.isNull()) {
            throw new MPIException(MPI.ERR_TYPE, "the type is DATATYPE_NULL");
        }
        if (count == 0) {
            return NONE;
        }
        boolean[] booleans = buffer instanceof boolean[] array ? array : new boolean[0];
        MemorySegment memory = buffer instanceof boolean[] array ? bytes(array) : memory(buffer);
        type.check(count, memory.byteSize());
        long bytes = (long) count * type.getSize();
        if (type.contiguous()) {
            return new Payload(memory.asSlice(0, bytes), memory, type, booleans);
        }
        MemorySegment packed =
                Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes);
        type.pack(memory, count, packed);
        return new Payload(packed, memory, type, booleans);
    }

    private static MemorySegment bytes(boolean[] array) {
        byte[] bytes = new byte[array.length];
        for (int i = 0; i < array.length; i++) {
            bytes[i] = (byte) (array[i] ? 1 : 0);
        }
        return MemorySegment.ofArray(bytes);
    }

    /** The memory of a buffer of the program. */
    static MemorySegment memory(@Nullable Object buffer) throws MPIException {
        return switch (buffer) {
            case byte[] array -> MemorySegment.ofArray(array);
            case char[] array -> MemorySegment.ofArray(array);
            case short[] array -> MemorySegment.ofArray(array);
            case int[] array -> MemorySegment.ofArray(array);
            case long[] array -> MemorySegment.ofArray(array);
            case float[] array -> MemorySegment.ofArray(array);
            case double[] array -> MemorySegment.ofArray(array);
            case Buffer nio -> MemorySegment.ofBuffer(nio.duplicate().clear());
            case null -> throw new MPIException(MPI.ERR_BUFFER, "the buffer is null");
            default ->
                throw new MPIException(
                        MPI.ERR_BUFFER,
                        "a buffer is an array of a primitive type or a java.nio.Buffer, not a "
                                + buffer.getClass().getName());
        };
    }

    /** The bytes to send, or the memory to receive into. */
    MemorySegment segment() {
        return segment;
    }

    /** Bytes have been received: they are where the program expects them when this returns. */
    void received(long bytes) {
        if (segment.byteSize() == 0) {
            return;
        }
        if (!type.contiguous()) {
            type.unpack(segment, Math.min(bytes, segment.byteSize()), memory);
        }
        for (int i = 0; i < booleans.length; i++) {
            booleans[i] = memory.get(ValueLayout.JAVA_BYTE, i) != 0;
        }
    }
}
