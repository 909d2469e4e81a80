package io.verbena.tools.demo;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.ProgressBar;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** The file that the demo moves: the user's, or a generated one that is deleted in the end. */
public final class DemoSource implements AutoCloseable {

    private static final int CHUNK_BYTES = 1 << 20;

    private final Path file;
    private final long length;
    private final boolean generated;

    private DemoSource(Path file, long length, boolean generated) {
        this.file = file;
        this.length = length;
        this.generated = generated;
    }

    /**
     * A file of the user.
     *
     * @throws Failure when it cannot be read, with the reason
     */
    public static DemoSource of(Path file) throws Failure {
        if (!Files.exists(file)) {
            throw new Failure("There is no file '" + file + "'");
        }
        if (Files.isDirectory(file)) {
            throw new Failure("'" + file + "' is a folder; name a file in it");
        }
        if (!Files.isRegularFile(file)) {
            throw new Failure("'" + file + "' is not a regular file and cannot be mapped; copy it to one");
        }
        if (!Files.isReadable(file)) {
            throw new Failure("Cannot read the file '" + file + "': permission denied");
        }
        try {
            return new DemoSource(file, Files.size(file), false);
        } catch (IOException e) {
            throw new Failure("Cannot read the file '" + file + "': " + e.getMessage(), e);
        }
    }

    /**
     * A file of pseudo-random bytes in a folder for temporary files; {@link #fill} makes the bytes.
     *
     * @throws Failure if the disk has not enough space for it
     */
    public static DemoSource generated(long length, Path folder) throws Failure {
        try {
            long usable = Files.getFileStore(folder).getUsableSpace();
            if (usable < length) {
                throw new Failure("The folder '" + folder + "' has " + Figures.bytes(usable) + " free and "
                        + Figures.bytes(length)
                        + " are needed; choose another folder with --temp, or a smaller --size");
            }
            return new DemoSource(Files.createTempFile(folder, "verbena-demo-", ".bin"), length, true);
        } catch (IOException e) {
            throw cannotMake(length, folder, e);
        }
    }

    /** Makes the bytes of a generated file, the same for the same seed; leaves the user's file alone. */
    public void fill(long seed, Bars bars, StopSignal stop) throws Failure {
        if (!generated) {
            return;
        }
        ProgressBar bar = bars.start("Generating bytes", length);
        SplittableRandom random = new SplittableRandom(seed);
        byte[] chunk = new byte[CHUNK_BYTES];
        long startNs = System.nanoTime();
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long done = 0; done < length; done += CHUNK_BYTES) {
                stop.check();
                random.nextBytes(chunk);
                out.write(chunk, 0, (int) Math.min(CHUNK_BYTES, length - done));
                bar.updateBytes(done, startNs);
            }
        } catch (IOException e) {
            throw cannotMake(length, file, e);
        } finally {
            bar.clear();
        }
    }

    private static Failure cannotMake(long length, Path where, IOException e) {
        return new Failure(
                "Cannot create a file of " + Figures.bytes(length) + " at '" + where + "': " + reason(e)
                        + "; choose another folder with --temp",
                e);
    }

    /** The message of some exceptions is only the file's name. */
    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    /** Where it is. */
    public Path file() {
        return file;
    }

    /** Its length in bytes. */
    public long length() {
        return length;
    }

    /** Whether it was generated. */
    public boolean generated() {
        return generated;
    }

    /** Deletes it if it was generated. */
    @Override
    public void close() throws IOException {
        if (generated) {
            Files.deleteIfExists(file);
        }
    }
}
