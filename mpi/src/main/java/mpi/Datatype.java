package mpi;

import io.verbena.messaging.collective.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Where the bytes of an element are: a basic type, or parts of basic types at offsets (MPI_Datatype). */
public final class Datatype {

    /** No type. */
    static final Datatype NULL = new Datatype(new Basics(ElementType.BYTE, 1, false), 0, 0, new Runs());

    /** The basic elements in an element; {@code mixed}: of different types. */
    private record Basics(ElementType type, int count, boolean mixed) {}

    /** Ranges of bytes in the order of the type; adjacent ones are one range. */
    private static final class Runs {
        private int[] offsets = new int[1];
        private int[] lengths = new int[1];
        private int count;
        private int bytes;

        void add(int offset, int length) {
            if (length == 0) {
                return;
            }
            bytes = Math.addExact(bytes, length);
            if (count > 0 && offsets[count - 1] + lengths[count - 1] == offset) {
                lengths[count - 1] += length;
                return;
            }
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * count);
                lengths = Arrays.copyOf(lengths, 2 * count);
            }
            offsets[count] = offset;
            lengths[count++] = length;
        }
    }

    /** Receives ranges of bytes of a buffer, which correspond to consecutive packed bytes. */
    interface RunConsumer {
        void accept(long offset, long packed, int length) throws MPIException;
    }

    private final Basics basics;
    private final int lowerBound;
    private final int extent;
    private final Runs runs;
    private final Attributes attributes = new Attributes();

    private Datatype(Basics basics, int lowerBound, int extent, Runs runs) {
        this.basics = basics;
        this.lowerBound = lowerBound;
        this.extent = extent;
        this.runs = runs;
    }

    static Datatype basic(ElementType type) {
        return several(type, 1);
    }

    /** Two basic elements, such as a complex number. */
    static Datatype twice(ElementType type) {
        return several(type, 2);
    }

    private static Datatype several(ElementType type, int count) {
        Runs runs = new Runs();
        runs.add(0, count * type.bytes());
        return new Datatype(new Basics(type, count, false), 0, count * type.bytes(), runs);
    }

    ElementType base() {
        return basics.type();
    }

    /** Returns whether the basic elements are of different types. */
    boolean mixed() {
        return basics.mixed();
    }

    /** Number of basic elements in an element. */
    int perElement() {
        return basics.count();
    }

    /** Returns whether elements follow each other without gaps, in order. */
    boolean contiguous() {
        return lowerBound == 0 && extent == runs.bytes && (runs.count == 0 || runs.count == 1 && runs.offsets[0] == 0);
    }

    /** Returns whether this is a basic type. */
    boolean isBasic() {
        return basics.count() == 1 && !mixed() && contiguous();
    }

    /** Bytes from the beginning of a buffer to the end of this many elements. */
    long span(int count) {
        long last = 0;
        for (int i = 0; i < runs.count; i++) {
            last = Math.max(last, (long) runs.offsets[i] + runs.lengths[i]);
        }
        return count == 0 || runs.count == 0 ? 0 : (long) (count - 1) * extent + last;
    }

    /** Returns whether a buffer would have to begin before its first byte. */
    private boolean beginsBefore(int count) {
        for (int i = 0; i < runs.count; i++) {
            if (runs.offsets[i] < 0 || runs.offsets[i] + (long) (count - 1) * extent < 0) {
                return true;
            }
        }
        return false;
    }

    /** Checks that elements of a buffer are within it. */
    void check(int count, long bufferBytes) throws MPIException {
        long needed = span(count);
        if (bufferBytes < needed) {
            throw new MPIException(
                    MPI.ERR_BUFFER, count + " elements need " + needed + " bytes, but the buffer has " + bufferBytes);
        }
        if (count > 0 && beginsBefore(count)) {
            throw new MPIException(
                    MPI.ERR_TYPE,
                    "the type has elements before the beginning of the buffer, which a buffer cannot have");
        }
    }

    /** Names the ranges of bytes of some elements, in the order of the type. */
    void forEachRun(int count, RunConsumer consumer) throws MPIException {
        if (contiguous()) {
            consumer.accept(0, 0, Math.multiplyExact(count, runs.bytes));
            return;
        }
        long packed = 0;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < runs.count; k++) {
                consumer.accept((long) i * extent + runs.offsets[k], packed, runs.lengths[k]);
                packed += runs.lengths[k];
            }
        }
    }

    /** Copies elements out of a buffer, one basic element after another. */
    void pack(MemorySegment buffer, int count, MemorySegment packed) {
        long at = 0;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < runs.count; k++) {
                MemorySegment.copy(buffer, (long) i * extent + runs.offsets[k], packed, at, runs.lengths[k]);
                at += runs.lengths[k];
            }
        }
    }

    /** Copies this many bytes of packed elements into a buffer. */
    void unpack(MemorySegment packed, long bytes, MemorySegment buffer) {
        long at = 0;
        for (int i = 0; at < bytes && runs.bytes > 0; i++) {
            for (int k = 0; k < runs.count && at < bytes; k++) {
                long length = Math.min(runs.lengths[k], bytes - at);
                MemorySegment.copy(packed, at, buffer, (long) i * extent + runs.offsets[k], length);
                at += length;
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
        Datatype[] types = new Datatype[blockLengths.length];
        Arrays.fill(types, oldType);
        Datatype type = createStruct(blockLengths, displacements, types);
        return blockLengths.length == 0
                ? new Datatype(new Basics(oldType.base(), 0, oldType.mixed()), 0, 0, type.runs)
                : type;
    }

    /** Blocks of different lengths and types, at displacements in bytes. */
    public static Datatype createStruct(int[] blockLengths, int[] displacements, Datatype[] types) throws MPIException {
        if (blockLengths.length != displacements.length || blockLengths.length != types.length) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    "there are " + blockLengths.length + " lengths, " + displacements.length + " displacements and "
                            + types.length + " types");
        }
        Runs runs = new Runs();
        int lower = Integer.MAX_VALUE;
        int upper = Integer.MIN_VALUE;
        int count = 0;
        boolean mixed = false;
        for (int i = 0; i < types.length; i++) {
            Datatype type = types[i];
            checkCount(blockLengths[i]);
            if (type.isNull()) {
                throw new MPIException(MPI.ERR_TYPE, "a part has the type DATATYPE_NULL");
            }
            mixed |= type.mixed() || type.base() != types[0].base();
            for (int k = 0; k < blockLengths[i]; k++) {
                int start = displacements[i] + k * type.extent;
                lower = Math.min(lower, start + type.lowerBound);
                upper = Math.max(upper, start + type.lowerBound + type.extent);
                for (int run = 0; run < type.runs.count; run++) {
                    runs.add(start + type.runs.offsets[run], type.runs.lengths[run]);
                }
            }
            count += blockLengths[i] * type.perElement();
        }
        ElementType base = types.length == 0 || mixed ? ElementType.BYTE : types[0].base();
        return lower > upper
                ? new Datatype(new Basics(base, 0, mixed), 0, 0, runs)
                : new Datatype(new Basics(base, count, mixed), lower, upper - lower, runs);
    }

    /** The same elements with other bounds. */
    public static Datatype createResized(Datatype oldType, int lb, int extent) {
        return new Datatype(oldType.basics, lb, extent, oldType.runs);
    }

    private static void checkCount(int count) throws MPIException {
        if (count < 0) {
            throw new MPIException(MPI.ERR_COUNT, "a count must not be negative: " + count);
        }
    }

    /** A copy. */
    public Datatype dup() {
        Datatype copy = new Datatype(basics, lowerBound, extent, runs);
        copy.attributes.copy(attributes);
        return copy;
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
        return runs.bytes;
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

    /** Lower bound of the data in bytes. */
    public int getTrueLb() {
        int lower = runs.count == 0 ? 0 : Integer.MAX_VALUE;
        for (int i = 0; i < runs.count; i++) {
            lower = Math.min(lower, runs.offsets[i]);
        }
        return lower;
    }

    /** Bytes from the first to the last byte of the data. */
    public int getTrueExtent() {
        return (int) span(1) - getTrueLb();
    }

    // Attributes.

    /** A new key for attributes of types. */
    public static int createKeyval() throws MPIException {
        return Attributes.create();
    }

    /** Frees a key: attributes under it cannot be reached any more. */
    public static void freeKeyval(int keyval) throws MPIException {
        Attributes.free(keyval);
    }

    /** Attaches a value. */
    public void setAttr(int keyval, Object value) throws MPIException {
        attributes.set(keyval, value);
    }

    /** The value that was attached; null if there is none. */
    public @Nullable Object getAttr(int keyval) throws MPIException {
        return attributes.get(keyval);
    }

    /** Removes a value. */
    public void deleteAttr(int keyval) throws MPIException {
        attributes.delete(keyval);
    }
}
