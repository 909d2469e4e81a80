package io.verbena.tools.disk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * A disk on the command line: {@code FILE}, {@code FILE:SIZE}, or {@code memory:SIZE}.
 *
 * @param text as it was given
 * @param file where the blocks are; without meaning for a disk in memory
 * @param sizeBytes least size, to which the file is extended; empty: the size of the file
 */
public record DiskSpec(String text, Path file, OptionalLong sizeBytes) {
    private static final String MEMORY = "memory";

    /**
     * Parses a specification. A name that contains a colon and is a file has no size.
     *
     * @param size converts a size with its unit
     * @throws IllegalArgumentException if it is not one
     */
    public static DiskSpec parse(String text, ToLongFunction<String> size) {
        int colon = text.lastIndexOf(':');
        if (text.isBlank() || colon == 0) {
            throw new IllegalArgumentException("A disk is FILE or FILE:SIZE such as disk.img:10G, not '" + text + "'");
        }
        if (colon < 0 || Files.exists(Path.of(text))) {
            return new DiskSpec(text, Path.of(text), OptionalLong.empty());
        }
        long bytes = size.applyAsLong(text.substring(colon + 1));
        return new DiskSpec(text, Path.of(text.substring(0, colon)), OptionalLong.of(bytes));
    }

    /** Whether the disk ends with the process. */
    public boolean inMemory() {
        return sizeBytes.isPresent() && file.toString().equals(MEMORY);
    }

    /** The last part of the name. */
    public String name() {
        return String.valueOf(file.getFileName());
    }

    /** The same in any working directory. */
    public DiskSpec absolute() {
        return inMemory() ? this : new DiskSpec(text, file.toAbsolutePath().normalize(), sizeBytes);
    }
}
