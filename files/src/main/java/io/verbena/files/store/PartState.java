package io.verbena.files.store;

import io.verbena.files.protocol.FileAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The state of an incomplete fetch, in a small text file beside the part file: the attributes of the source and the finished
 * chunks.
 *
 * <pre>
 *  verbena part 1
 *  size 5368709120
 *  modified 1700000000000000000
 *  identity 12345
 *  chunk 524288
 *  done 0-99,101,200-299
 * </pre>
 *
 * @param source the attributes of the source when the fetch began
 */
public record PartState(FileAttributes source, int chunkBytes, BitSet done) {

    private static final String FIRST_LINE = "verbena part 1";
    private static final int LINES = 6;
    private static final long MOST_BYTES = 64 << 20;

    /** Saves it and replaces the earlier state atomically. A symbolic link of that name is not followed. */
    public void save(Path file) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(fresh);
            Files.writeString(
                    fresh, text(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            deleteIfPossible(fresh);
            throw e;
        }
    }

    private static void deleteIfPossible(Path fresh) {
        try {
            Files.deleteIfExists(fresh);
        } catch (IOException e) {
            return; // the failure to write it is the one to report
        }
    }

    private String text() {
        StringBuilder ranges = new StringBuilder();
        for (int from = done.nextSetBit(0); from >= 0; ) {
            int to = done.nextClearBit(from) - 1;
            ranges.append(ranges.isEmpty() ? "" : ",").append(from).append(to > from ? "-" + to : "");
            from = done.nextSetBit(to + 1);
        }
        return List.of(
                                FIRST_LINE,
                                "size " + source.size(),
                                "modified " + source.modifiedNs(),
                                "identity " + source.identity(),
                                "chunk " + chunkBytes,
                                "done " + ranges)
                        .stream()
                        .collect(Collectors.joining("\n"))
                + "\n";
    }

    /** Loads it; empty if there is none or it is not valid. */
    public static Optional<PartState> load(Path file) {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
                return Optional.empty();
            }
            List<String> lines = Files.readAllLines(file);
            if (lines.size() != LINES || !lines.getFirst().equals(FIRST_LINE)) {
                return Optional.empty();
            }
            FileAttributes source = new FileAttributes(
                    number(lines, 1, "size "), number(lines, 2, "modified "), number(lines, 3, "identity "), false);
            int chunkBytes = Math.toIntExact(number(lines, 4, "chunk "));
            if (source.size() < 0 || chunkBytes < 1) {
                return Optional.empty();
            }
            long chunks = Math.ceilDiv(source.size(), chunkBytes);
            return Optional.of(new PartState(source, chunkBytes, ranges(value(lines, 5, "done "), chunks)));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static String value(List<String> lines, int line, String key) {
        if (!lines.get(line).startsWith(key)) {
            throw new IllegalArgumentException(key);
        }
        return lines.get(line).substring(key.length());
    }

    private static long number(List<String> lines, int line, String key) {
        return Long.parseLong(value(lines, line, key));
    }

    private static BitSet ranges(String text, long chunks) {
        BitSet set = new BitSet();
        for (String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            String[] ends = range.split("-", 2);
            int from = Integer.parseInt(ends[0]);
            int to = Integer.parseInt(ends[ends.length - 1]);
            if (from < 0 || to < from || to >= chunks) {
                throw new IllegalArgumentException(range);
            }
            set.set(from, to + 1);
        }
        return set;
    }

    /** Whether it describes the current version of this source. */
    public boolean of(FileAttributes now, int expectedChunkBytes) {
        return source.size() == now.size()
                && source.modifiedNs() == now.modifiedNs()
                && source.identity() == now.identity()
                && chunkBytes == expectedChunkBytes;
    }
}
