package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;

/** A reduction of the program. */
record UserReduction(Function function, boolean commutative) implements Reduction {

    @Override
    public String title() {
        return "an operation of the program";
    }

    @Override
    public boolean accepts(ElementType type) {
        return true;
    }

    @Override
    public void apply(
            MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long bytes, ElementType type) {
        function.apply(in.asSlice(inOffset, bytes), inout.asSlice(inoutOffset, bytes), type);
    }
}
