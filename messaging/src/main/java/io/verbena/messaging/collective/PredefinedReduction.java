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

    private static final int MAX_PART_BYTES = 1 << 20;

    private final String title = name().toLowerCase(Locale.ROOT);

    @Override
    public boolean commutative() {
        return true;
    }

    @Override
    public String title() {
        return title;
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
        // Parts with an int number of elements: the form of a loop that the compiler unrolls.
        long done = 0;
        while (done < bytes) {
            int part = (int) Math.min(MAX_PART_BYTES, bytes - done);
            int count = part / type.bytes();
            long inAt = inOffset + done;
            long ioAt = inoutOffset + done;
            switch (type) {
                case DOUBLE -> FloatingLoops.doubles(this, in, inAt, inout, ioAt, count);
                case FLOAT -> FloatingLoops.floats(this, in, inAt, inout, ioAt, count);
                case INT -> IntegerLoops.ints(this, in, inAt, inout, ioAt, count);
                case LONG -> IntegerLoops.longs(this, in, inAt, inout, ioAt, count);
                case BYTE, BOOLEAN, CHAR, SHORT -> IntegerLoops.small(this, type, in, inAt, inout, ioAt, count);
                default -> PairLoops.pairs(this == MAXLOC, type, in, inAt, inout, ioAt, count);
            }
            done += part;
        }
    }
}
