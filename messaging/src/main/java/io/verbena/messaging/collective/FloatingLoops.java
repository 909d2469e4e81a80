package io.verbena.messaging.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Loops of the predefined reductions over floating point numbers. */
final class FloatingLoops {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private FloatingLoops() {}

    static void doubles(PredefinedReduction op, MemorySegment in, long inAt, MemorySegment io, long ioAt, int count) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    io.set(DOUBLE, ioAt + 8L * i, in.get(DOUBLE, inAt + 8L * i) + io.get(DOUBLE, ioAt + 8L * i));
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    io.set(
                            DOUBLE,
                            ioAt + 8L * i,
                            Math.max(in.get(DOUBLE, inAt + 8L * i), io.get(DOUBLE, ioAt + 8L * i)));
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    io.set(
                            DOUBLE,
                            ioAt + 8L * i,
                            Math.min(in.get(DOUBLE, inAt + 8L * i), io.get(DOUBLE, ioAt + 8L * i)));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    io.set(
                            DOUBLE,
                            ioAt + 8L * i,
                            combined(op, in.get(DOUBLE, inAt + 8L * i), io.get(DOUBLE, ioAt + 8L * i)));
                }
            }
        }
    }

    static void floats(PredefinedReduction op, MemorySegment in, long inAt, MemorySegment io, long ioAt, int count) {
        if (ArrayLoops.has(op, count)) {
            ArrayLoops.floats(op, in, inAt, io, ioAt, count);
            return;
        }
        switch (op) {
            case SUM -> {
                for (int i = 0; i < count; i++) {
                    io.set(FLOAT, ioAt + 4L * i, in.get(FLOAT, inAt + 4L * i) + io.get(FLOAT, ioAt + 4L * i));
                }
            }
            case MAX -> {
                for (int i = 0; i < count; i++) {
                    io.set(FLOAT, ioAt + 4L * i, Math.max(in.get(FLOAT, inAt + 4L * i), io.get(FLOAT, ioAt + 4L * i)));
                }
            }
            case MIN -> {
                for (int i = 0; i < count; i++) {
                    io.set(FLOAT, ioAt + 4L * i, Math.min(in.get(FLOAT, inAt + 4L * i), io.get(FLOAT, ioAt + 4L * i)));
                }
            }
            case PROD -> {
                for (int i = 0; i < count; i++) {
                    io.set(FLOAT, ioAt + 4L * i, in.get(FLOAT, inAt + 4L * i) * io.get(FLOAT, ioAt + 4L * i));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    io.set(FLOAT, ioAt + 4L * i, (float)
                            combined(op, in.get(FLOAT, inAt + 4L * i), io.get(FLOAT, ioAt + 4L * i)));
                }
            }
        }
    }

    private static double combined(PredefinedReduction op, double a, double b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case LAND -> a != 0 && b != 0 ? 1 : 0;
            case LOR -> a != 0 || b != 0 ? 1 : 0;
            case LXOR -> a != 0 ^ b != 0 ? 1 : 0;
            default -> throw new IllegalArgumentException(op + " does not combine floating point numbers");
        };
    }
}
