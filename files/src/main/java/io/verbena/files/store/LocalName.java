package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The name of a local file as a user gives it on a command line. */
public final class LocalName {

    /** What the JVM makes of bytes of an argument that it cannot decode. */
    private static final char UNDECODED = '\ufffd';

    private LocalName() {}

    /**
     * The path with this name.
     *
     * @throws FileServiceException if the name cannot be that of a file, with what to do
     */
    public static Path path(String text) throws FileServiceException {
        try {
            Path path = Path.of(text);
            if (text.indexOf(UNDECODED) >= 0 && !Files.exists(path)) {
                throw undecoded(text);
            }
            return path;
        } catch (InvalidPathException e) {
            if (text.chars().anyMatch(c -> c > 0x7f)) {
                throw undecoded(text);
            }
            throw new FileServiceException("'" + text + "' is not a path: " + e.getReason() + "; check the name", e);
        }
    }

    private static FileServiceException undecoded(String text) {
        return new FileServiceException("The name '" + text + "' has bytes that are no characters of the locale ("
                + Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"))
                + "): run the command with LC_ALL=C.UTF-8, or rename the file");
    }
}
