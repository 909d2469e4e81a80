package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** The reductions of the MPI standard. */
public enum PredefinedReduction implements Reduction {
    MAX,
    MIN,
    SUM,
    PROD,
    LAND,
    LOR,
    LXOR,
    BAND,
    BOR,
    BXOR,

    /** The larger value, and the smaller index of equal values. */
    MAXLOC,

    /** The smaller value, and the smaller index of equal values. */
    MINLOC;

    @Override
    public boolean commutative() {
        return true;
    }

    @Override
    public String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean accepts(ElementType type) {
        return switch (this) {
            case MAXLOC, MINLOC -> type.pair();
            case BAND, BOR, BXOR -> !type.pair() && !type.floating();
            default -> !type.pair();
        };
    }

    @Override
    public void apply(
            MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long bytes, ElementType type) {
        // Slices without an offset, and int indices: the form of a loop that the compiler vectorizes.
        long done = 0;
        while (done < bytes) {
            int part = (int) Math.min(MAX_PART_BYTES, bytes - done);
            MemorySegment from = in.asSlice(inOffset + done, part);
            MemorySegment to = inout.asSlice(inoutOffset + done, part);
            int count = part / type.bytes();
            switch (type) {
                case DOUBLE -> FloatingLoops.doubles(this, from, to, count);
                case FLOAT -> FloatingLoops.floats(this, from, to, count);
                case INT -> IntegerLoops.ints(this, from, to, count);
                case LONG -> IntegerLoops.longs(this, from, to, count);
                case BYTE, BOOLEAN, CHAR, SHORT -> IntegerLoops.small(this, type, from, to, count);
                default -> PairLoops.pairs(this == MAXLOC, type, from, to, count);
            }
            done += part;
        }
    }

    private static final int MAX_PART_BYTES = 1 << 20;
}
