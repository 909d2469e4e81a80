package io.verbena.tools.text;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Columns of a terminal, and lines that fit them. */
public final class Columns {

    /** Where the system does not report the width. */
    private static final int USUAL = 80;

    private static final int LEAST = 10;
    private static final String INDENT = "    ";
    private static final long TIOCGWINSZ = 0x5413;
    private static final Optional<MethodHandle> IOCTL = ioctl();

    private Columns() {}

    private static Optional<MethodHandle> ioctl() {
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return Optional.empty();
        }
        try {
            Linker linker = Linker.nativeLinker();
            return Optional.of(linker.downcallHandle(
                    linker.defaultLookup().find("ioctl").orElseThrow(),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2)));
        } catch (RuntimeException | LinkageError e) {
            return Optional.empty(); // native access was forbidden when the JVM was started
        }
    }

    /** Columns of the terminal behind a descriptor of this process, as they are now. */
    public static int of(int descriptor) {
        if (IOCTL.isPresent()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment size = arena.allocate(4L * Short.BYTES, Short.BYTES); // rows, columns, two in pixels
                int answer = (int) IOCTL.get().invokeExact(descriptor, TIOCGWINSZ, size);
                int columns = Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 1));
                if (answer == 0 && columns > 0) {
                    return columns;
                }
            } catch (Throwable e) {
                throw new IllegalStateException("a C function cannot be called", e);
            }
        }
        return environment();
    }

    private static int environment() {
        try {
            return Math.max(LEAST, Integer.parseInt(System.getenv().getOrDefault("COLUMNS", "")));
        } catch (NumberFormatException e) {
            return USUAL;
        }
    }

    /** Breaks a line at spaces into parts of at most this number of columns; every part but the first is indented. */
    public static List<String> wrapped(String line, int columns) {
        int width = Math.max(LEAST, columns);
        List<String> parts = new ArrayList<>();
        String rest = line;
        while (rest.length() > width) {
            int end = rest.lastIndexOf(' ', width);
            if (end <= INDENT.length()) {
                end = rest.indexOf(' ', width); // a word that is too long stays whole
            }
            if (end < 0) {
                break;
            }
            parts.add(rest.substring(0, end).stripTrailing());
            rest = INDENT + rest.substring(end).strip();
        }
        if (!rest.isBlank() || parts.isEmpty()) {
            parts.add(rest.stripTrailing());
        }
        return parts;
    }
}
