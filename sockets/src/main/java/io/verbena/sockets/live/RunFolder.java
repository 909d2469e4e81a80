package io.verbena.sockets.live;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a user for what running processes offer: {@code $XDG_RUNTIME_DIR/verbena} or, without a session, {@code
 * verbena-USER} in the folder for temporary files. It belongs to the user, and others cannot enter it: what lies in it is trusted.
 */
public final class RunFolder {

    private static final String ONLY_THE_USER = "rwx------";

    private RunFolder() {}

    /**
     * The folder of this process, made if there is none.
     *
     * @throws IOException if it cannot be made, or is that of another user or open to others
     */
    public static Path make() throws IOException {
        Path folder = candidates(System.getenv()::get).getFirst();
        try {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(ONLY_THE_USER)));
        } catch (FileAlreadyExistsException e) {
            if (!trusted(folder)) {
                throw new IOException(
                        "The folder " + folder
                                + " belongs to another user or is open to others: remove it or set XDG_RUNTIME_DIR.",
                        e);
            }
        }
        return folder;
    }

    /** The folders of all processes of the user: those with a session and those without. */
    public static List<Path> existing() {
        return candidates(System.getenv()::get).stream()
                .filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                .filter(RunFolder::trusted)
                .toList();
    }

    /** Where the folder may be, the one for this process first. */
    static List<Path> candidates(Function<String, @Nullable String> environment) {
        List<Path> folders = new ArrayList<>();
        String session = environment.apply("XDG_RUNTIME_DIR");
        if (session != null && !session.isEmpty() && Files.isWritable(Path.of(session))) {
            folders.add(Path.of(session, "verbena"));
        }
        folders.add(Path.of(System.getProperty("java.io.tmpdir"), "verbena-" + System.getProperty("user.name")));
        return folders;
    }

    /** Whether only this user can have put something into the folder. */
    static boolean trusted(Path folder) {
        try {
            PosixFileAttributes found =
                    Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.isDirectory()
                    && PosixFilePermissions.toString(found.permissions()).equals(ONLY_THE_USER)
                    && found.owner().equals(Files.getOwner(Path.of("/proc/self")));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
