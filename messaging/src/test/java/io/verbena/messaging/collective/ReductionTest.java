package io.verbena.messaging.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each predefined reduction over each type that it accepts, compared with the definition, at any offset. */
class ReductionTest {

    /** More than one part of {@link ArrayLoops}, and a rest. */
    private static final int[] COUNTS = {37, 2500};

    private static final double[] VALUES = {0, 1, 2, -3, 100, 7};

    private static void set(MemorySegment memory, ElementType type, long at, double value) {
        switch (type) {
            case BYTE, BOOLEAN -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case CHAR -> memory.set(ValueLayout.JAVA_CHAR_UNALIGNED, at, (char) value);
            case SHORT, SHORT_INT -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
            case INT, INT_INT -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
            case LONG, LONG_INT -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) value);
            case FLOAT, FLOAT_INT -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) value);
            case DOUBLE, DOUBLE_INT -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
        }
    }

    private static double get(MemorySegment memory, ElementType type, long at) {
        return switch (type) {
            case BYTE, BOOLEAN -> memory.get(ValueLayout.JAVA_BYTE, at);
            case CHAR -> memory.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
            case SHORT, SHORT_INT -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case INT, INT_INT -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case LONG, LONG_INT -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case FLOAT, FLOAT_INT -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case DOUBLE, DOUBLE_INT -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
        };
    }

    private static double combined(PredefinedReduction reduction, double a, double b) {
        boolean first = a != 0;
        boolean second = b != 0;
        return switch (reduction) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX, MAXLOC -> Math.max(a, b);
            case MIN, MINLOC -> Math.min(a, b);
            case LAND -> first && second ? 1 : 0;
            case LOR -> first || second ? 1 : 0;
            case LXOR -> first != second ? 1 : 0;
            case BAND -> (long) a & (long) b;
            case BOR -> (long) a | (long) b;
            case BXOR -> (long) a ^ (long) b;
        };
    }

    /** A value that the type holds. */
    private static double value(ElementType type, int index) {
        double value = VALUES[index % VALUES.length];
        return switch (type) {
            case BOOLEAN -> value == 0 ? 0 : 1;
            case CHAR -> Math.abs(value);
            default -> value;
        };
    }

    private static double held(ElementType type, double value) {
        return switch (type) {
            case BYTE -> (byte) value;
            case BOOLEAN -> value == 0 ? 0 : 1;
            default -> value;
        };
    }

    @ParameterizedTest
    @EnumSource
    void everyType_isCombinedAsDefined(PredefinedReduction reduction) {
        for (ElementType type : ElementType.values()) {
            if (reduction.accepts(type)) {
                for (int count : COUNTS) {
                    check(reduction, type, count);
                }
            }
        }
    }

    private static void check(PredefinedReduction reduction, ElementType type, int count) {
        int bytes = type.bytes();
        MemorySegment in = Arena.ofAuto().allocate(bytes * (count + 3L), 8);
        MemorySegment inout = Arena.ofAuto().allocate(bytes * (count + 3L), 8);
        for (int i = 0; i < count; i++) {
            set(in, type, bytes * (i + 1L), value(type, i));
            set(inout, type, bytes * (i + 2L), value(type, i / 3));
            if (type.pair()) {
                in.set(ValueLayout.JAVA_INT, bytes * (i + 1L) + type.indexOffset(), 10 + i % 2);
                inout.set(ValueLayout.JAVA_INT, bytes * (i + 2L) + type.indexOffset(), 11);
            }
        }
        reduction.apply(in, bytes, inout, 2L * bytes, (long) bytes * count, type);
        for (int i = 0; i < count; i++) {
            double a = value(type, i);
            double b = value(type, i / 3);
            double result = get(inout, type, bytes * (i + 2L));
            assertEquals(held(type, combined(reduction, a, b)), result, reduction + " of " + type + ", element " + i);
            if (type.pair()) {
                int index = inout.get(ValueLayout.JAVA_INT, bytes * (i + 2L) + type.indexOffset());
                int expected = result == a && result == b ? 10 + i % 2 : result == a ? 10 + i % 2 : 11;
                assertEquals(expected, index, reduction + " of " + type + ", index " + i);
            }
        }
    }
}
