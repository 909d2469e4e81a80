package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** MINLOC and MAXLOC: the extreme value, and its index. */
final class PairLoops {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private PairLoops() {}

    static void pairs(
            boolean max, ElementType type, MemorySegment in, long inAt, MemorySegment io, long ioAt, int count) {
        for (int i = 0; i < count; i++) {
            long from = inAt + (long) type.bytes() * i;
            long to = ioAt + (long) type.bytes() * i;
            int order = compared(type, in, from, io, to);
            int inIndex = in.get(INT, from + type.indexOffset());
            int ownIndex = io.get(INT, to + type.indexOffset());
            if (order == 0) {
                io.set(INT, to + type.indexOffset(), Math.min(inIndex, ownIndex));
            } else if (order > 0 == max) {
                MemorySegment.copy(in, from, io, to, type.bytes());
            }
        }
    }

    private static int compared(ElementType type, MemorySegment a, long aAt, MemorySegment b, long bAt) {
        return switch (type) {
            case SHORT_INT ->
                Short.compare(
                        a.get(ValueLayout.JAVA_SHORT_UNALIGNED, aAt), b.get(ValueLayout.JAVA_SHORT_UNALIGNED, bAt));
            case INT_INT -> Integer.compare(a.get(INT, aAt), b.get(INT, bAt));
            case LONG_INT ->
                Long.compare(a.get(ValueLayout.JAVA_LONG_UNALIGNED, aAt), b.get(ValueLayout.JAVA_LONG_UNALIGNED, bAt));
            case FLOAT_INT ->
                Float.compare(
                        a.get(ValueLayout.JAVA_FLOAT_UNALIGNED, aAt), b.get(ValueLayout.JAVA_FLOAT_UNALIGNED, bAt));
            case DOUBLE_INT ->
                Double.compare(
                        a.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, aAt), b.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, bAt));
            default -> throw new IllegalArgumentException(type + " is no pair");
        };
    }
}
