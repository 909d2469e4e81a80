package mpi;

import io.verbena.messaging.collective.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Where the bytes of an element are: a basic type, or parts of basic types at offsets (MPI_Datatype). */
public final class Datatype {

    /** No type. */
    static final Datatype NULL = new Datatype(ElementType.BYTE, 1, 0, 0, new int[0]);

    private final ElementType base;
    private final int perElement; // basic elements in an element of this type
    private final int lowerBound;
    private final int extent;
    private final int[] offsets; // of the basic elements, in the order of the type

    private Datatype(ElementType base, int perElement, int lowerBound, int extent, int[] offsets) {
        this.base = base;
        this.perElement = perElement;
        this.lowerBound = lowerBound;
        this.extent = extent;
        this.offsets = offsets;
    }

    static Datatype basic(ElementType type) {
        return new Datatype(type, 1, 0, type.bytes(), new int[] {0});
    }

    /** Two basic elements, such as a complex number. */
    static Datatype twice(ElementType type) {
        return new Datatype(type, 2, 0, 2 * type.bytes(), new int[] {0, type.bytes()});
    }

    ElementType base() {
        return base;
    }

    /** Returns whether elements follow each other without gaps, in order. */
    boolean contiguous() {
        if (extent != getSize() || lowerBound != 0) {
            return false;
        }
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] != i * base.bytes()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether this is a basic type. */
    boolean isBasic() {
        return perElement == 1 && contiguous();
    }

    /** Bytes from the beginning of a buffer to the end of this many elements. */
    long span(int count) {
        if (count == 0 || offsets.length == 0) {
            return 0;
        }
        int last = Arrays.stream(offsets).max().orElse(0) + base.bytes();
        return (long) (count - 1) * extent + last;
    }

    /** Copies elements out of a buffer, one basic element after another. */
    void pack(MemorySegment buffer, int count, MemorySegment packed) {
        long at = 0;
        for (int i = 0; i < count; i++) {
            for (int offset : offsets) {
                MemorySegment.copy(buffer, (long) i * extent + offset, packed, at, base.bytes());
                at += base.bytes();
            }
        }
    }

    /** Copies this many bytes of packed elements into a buffer. */
    void unpack(MemorySegment packed, long bytes, MemorySegment buffer) {
        long at = 0;
        for (int i = 0; at < bytes; i++) {
            for (int offset : offsets) {
                if (at + base.bytes() > bytes) {
                    return;
                }
                MemorySegment.copy(packed, at, buffer, (long) i * extent + offset, base.bytes());
                at += base.bytes();
            }
        }
    }

    // Derived types.

    /** Elements one after another. */
    public static Datatype createContiguous(int count, Datatype oldType) throws MPIException {
        return createVector(1, count, count, oldType);
    }

    /** Blocks at equal distances, which are counted in elements. */
    public static Datatype createVector(int count, int blockLength, int stride, Datatype oldType) throws MPIException {
        return createHVector(count, blockLength, stride * oldType.extent, oldType);
    }

    /** Blocks at equal distances in bytes. */
    public static Datatype createHVector(int count, int blockLength, int stride, Datatype oldType) throws MPIException {
        checkCount(count);
        checkCount(blockLength);
        int[] lengths = new int[count];
        int[] displacements = new int[count];
        for (int i = 0; i < count; i++) {
            lengths[i] = blockLength;
            displacements[i] = i * stride;
        }
        return createHIndexed(lengths, displacements, oldType);
    }

    /** Blocks of different lengths, at displacements that are counted in elements. */
    public static Datatype createIndexed(int[] blockLengths, int[] displacements, Datatype oldType)
            throws MPIException {
        return createHIndexed(
                blockLengths,
                Arrays.stream(displacements).map(at -> at * oldType.extent).toArray(),
                oldType);
    }

    /** Blocks of different lengths, at displacements in bytes. */
    public static Datatype createHIndexed(int[] blockLengths, int[] displacements, Datatype oldType)
            throws MPIException {
        int blocks = Arrays.stream(blockLengths).sum();
        int[] offsets = new int[blocks * oldType.offsets.length];
        int lower = Integer.MAX_VALUE;
        int upper = Integer.MIN_VALUE;
        int used = 0;
        for (int i = 0; i < blockLengths.length; i++) {
            checkCount(blockLengths[i]);
            for (int k = 0; k < blockLengths[i]; k++) {
                int start = displacements[i] + k * oldType.extent;
                lower = Math.min(lower, start + oldType.lowerBound);
                upper = Math.max(upper, start + oldType.lowerBound + oldType.extent);
                for (int offset : oldType.offsets) {
                    offsets[used++] = start + offset;
                }
            }
        }
        return blocks == 0
                ? new Datatype(oldType.base, 0, 0, 0, offsets)
                : new Datatype(oldType.base, blocks * oldType.perElement, lower, upper - lower, offsets);
    }

    /** The same elements with other bounds. */
    public static Datatype createResized(Datatype oldType, int lb, int extent) {
        return new Datatype(oldType.base, oldType.perElement, lb, extent, oldType.offsets);
    }

    private static void checkCount(int count) throws MPIException {
        if (count < 0) {
            throw new MPIException(MPI.ERR_COUNT, "a count must not be negative: " + count);
        }
    }

    /** A copy. */
    public Datatype dup() {
        return new Datatype(base, perElement, lowerBound, extent, offsets);
    }

    /** Has no effect: types need no preparation here. */
    public void commit() {}

    /** Has no effect: the garbage collector frees types. */
    public void free() {}

    /** Returns whether this is no type. */
    public boolean isNull() {
        return this == NULL;
    }

    /** Bytes of data in an element. */
    public int getSize() {
        return offsets.length * base.bytes();
    }

    /** Distance of elements in bytes. */
    public int getExtent() {
        return extent;
    }

    /** Lower bound in bytes. */
    public int getLb() {
        return lowerBound;
    }

    /** Upper bound in bytes. */
    public int getUb() {
        return lowerBound + extent;
    }
}
