package io.verbena.storage.device;

import io.verbena.base.FreedPages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Whether a file system can free blocks within a file. A host is offered only what works. */
final class Holes {
    private static final long PAGE_BYTES = 4096;
    private static final int MOST_LOOKS = 64;

    private Holes() {}

    /** Tries that with a page of zeros of the file, whose contents do not change, or with another file beside it. */
    static boolean possible(MemorySegment mapped, Path file) {
        long pages = mapped.byteSize() / PAGE_BYTES;
        long step = Math.max(1, pages / MOST_LOOKS);
        try {
            for (long page = 0; page < pages; page += step) {
                MemorySegment looked = mapped.asSlice(page * PAGE_BYTES, PAGE_BYTES);
                if (MemorySegment.mismatch(looked, 0, PAGE_BYTES, Zeroes.BLOCK, 0, PAGE_BYTES) < 0) {
                    return FreedPages.OF_FILE.free(looked);
                }
            }
        } catch (InternalError e) {
            return false; // the file was truncated
        }
        return possibleBeside(file);
    }

    private static boolean possibleBeside(Path file) {
        try {
            Path folder = file.toRealPath().resolveSibling(".");
            Path other = Files.createTempFile(folder, ".verbena", ".probe");
            try (FileChannel channel = FileChannel.open(other, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    Arena arena = Arena.ofConfined()) {
                return FreedPages.OF_FILE.free(channel.map(MapMode.READ_WRITE, 0, PAGE_BYTES, arena));
            } finally {
                Files.delete(other);
            }
        } catch (IOException e) {
            return false;
        }
    }
}
