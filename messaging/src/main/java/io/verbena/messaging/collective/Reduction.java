package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;

/** Combines elements of two vectors (MPI_Op). Reductions are associative. */
public interface Reduction {

    /** What a program implements: {@code inout[i] = in[i] op inout[i]} for all elements of the two segments. */
    @FunctionalInterface
    interface Function {
        void apply(MemorySegment in, MemorySegment inout, ElementType type);
    }

    /** Returns whether the order of the operands does not matter; otherwise operands are combined in the order of the ranks. */
    boolean commutative();

    /** A short name for messages about errors. */
    String title();

    /** Returns whether elements of this type can be combined. */
    boolean accepts(ElementType type);

    /** Combines: {@code inout[i] = in[i] op inout[i]}. */
    void apply(MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long bytes, ElementType type);

    /** A reduction of the program (MPI_Op_create). */
    static Reduction of(Function function, boolean commutative) {
        return new UserReduction(function, commutative);
    }
}
