package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** MINLOC and MAXLOC: the extreme value, and its index. */
final class PairLoops {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private PairLoops() {}

    static void pairs(boolean max, ElementType type, MemorySegment in, MemorySegment io, int count) {
        for (int i = 0; i < count; i++) {
            long at = (long) type.bytes() * i;
            int order = compared(type, in, io, at);
            int inIndex = in.get(INT, at + type.indexOffset());
            int ownIndex = io.get(INT, at + type.indexOffset());
            if (order == 0) {
                io.set(INT, at + type.indexOffset(), Math.min(inIndex, ownIndex));
            } else if (order > 0 == max) {
                MemorySegment.copy(in, at, io, at, type.bytes());
            }
        }
    }

    private static int compared(ElementType type, MemorySegment a, MemorySegment b, long at) {
        return switch (type) {
            case SHORT_INT ->
                Short.compare(a.get(ValueLayout.JAVA_SHORT_UNALIGNED, at), b.get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
            case INT_INT -> Integer.compare(a.get(INT, at), b.get(INT, at));
            case LONG_INT ->
                Long.compare(a.get(ValueLayout.JAVA_LONG_UNALIGNED, at), b.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
            case FLOAT_INT ->
                Float.compare(a.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at), b.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at));
            case DOUBLE_INT ->
                Double.compare(
                        a.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at), b.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at));
            default -> throw new IllegalArgumentException(type + " is no pair");
        };
    }
}
