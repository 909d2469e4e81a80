package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Loops of the predefined reductions over integers. One loop for each operation: a call in the loop would not be unrolled. */
final class IntegerLoops {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;

    private IntegerLoops() {}

    static void ints(PredefinedReduction op, MemorySegment in, long inAt, MemorySegment io, long ioAt, int count) {
        if (ArrayLoops.has(op, count)) {
            ArrayLoops.ints(op, in, inAt, io, ioAt, count);
            return;
        }
        switch (op) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    io.set(INT, ioAt + 4L * i, in.get(INT, inAt + 4L * i) + io.get(INT, ioAt + 4L * i));
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    io.set(INT, ioAt + 4L * i, Math.max(in.get(INT, inAt + 4L * i), io.get(INT, ioAt + 4L * i)));
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    io.set(INT, ioAt + 4L * i, Math.min(in.get(INT, inAt + 4L * i), io.get(INT, ioAt + 4L * i)));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    io.set(INT, ioAt + 4L * i, (int)
                            combined(op, in.get(INT, inAt + 4L * i), io.get(INT, ioAt + 4L * i)));
                }
            }
        }
    }

    static void longs(PredefinedReduction op, MemorySegment in, long inAt, MemorySegment io, long ioAt, int count) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    io.set(LONG, ioAt + 8L * i, in.get(LONG, inAt + 8L * i) + io.get(LONG, ioAt + 8L * i));
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    io.set(LONG, ioAt + 8L * i, Math.max(in.get(LONG, inAt + 8L * i), io.get(LONG, ioAt + 8L * i)));
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    io.set(LONG, ioAt + 8L * i, Math.min(in.get(LONG, inAt + 8L * i), io.get(LONG, ioAt + 8L * i)));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    io.set(LONG, ioAt + 8L * i, combined(op, in.get(LONG, inAt + 8L * i), io.get(LONG, ioAt + 8L * i)));
                }
            }
        }
    }

    /** Types that programs rarely reduce. */
    static void small(
            PredefinedReduction op,
            ElementType type,
            MemorySegment in,
            long inAt,
            MemorySegment io,
            long ioAt,
            int count) {
        for (int i = 0; i < count; i++) {
            long result = combined(op, load(in, type, inAt, i), load(io, type, ioAt, i));
            switch (type) {
                case SHORT -> io.set(SHORT, ioAt + 2L * i, (short) result);
                case CHAR -> io.set(CHAR, ioAt + 2L * i, (char) result);
                case BOOLEAN -> io.set(ValueLayout.JAVA_BYTE, ioAt + i, (byte) (result != 0 ? 1 : 0));
                default -> io.set(ValueLayout.JAVA_BYTE, ioAt + i, (byte) result);
            }
        }
    }

    private static long load(MemorySegment from, ElementType type, long at, int i) {
        return switch (type) {
            case SHORT -> from.get(SHORT, at + 2L * i);
            case CHAR -> from.get(CHAR, at + 2L * i);
            default -> from.get(ValueLayout.JAVA_BYTE, at + i);
        };
    }

    private static long combined(PredefinedReduction op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case LAND -> a != 0 && b != 0 ? 1 : 0;
            case LOR -> a != 0 || b != 0 ? 1 : 0;
            case LXOR -> a != 0 ^ b != 0 ? 1 : 0;
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            case MAXLOC, MINLOC -> throw new IllegalArgumentException(op + " needs pairs");
        };
    }
}
