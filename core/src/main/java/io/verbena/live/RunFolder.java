package io.verbena.live;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a user for what running processes offer. It belongs to the user, and others cannot enter it: what lies in it is
 * trusted. It is the first of these that can be had:
 *
 * <ol>
 *   <li>{@code $XDG_RUNTIME_DIR/verbena}
 *   <li>{@code verbena-UID} in the folder for temporary files. Another user may have made it before, which is detected.
 *   <li>{@code verbena-UID-…} in the same folder, with a random name.
 * </ol>
 */
public final class RunFolder {

    private static final FileAttribute<Set<PosixFilePermission>> ONLY_THE_USER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final int PERMISSIONS = 0777;
    private static final int OF_THE_USER = 0700;
    private static final int TYPE = 0170_000;
    private static final int DIRECTORY = 0040_000;

    /** More than one user has, and few enough to be looked at several times a second. */
    private static final int MOST_PRIVATE = 16;

    private final int user;
    private final Path temporary;
    private final List<Path> usual = new ArrayList<>();

    private RunFolder(int user, Path temporary, Function<String, @Nullable String> environment) {
        this.user = user;
        this.temporary = temporary;
        String session = environment.apply("XDG_RUNTIME_DIR");
        if (session != null && session.startsWith("/") && Files.isWritable(Path.of(session))) {
            usual.add(Path.of(session, "verbena"));
        }
        usual.add(temporary.resolve(name()));
    }

    private static RunFolder ofProcess() throws IOException {
        return of(Path.of(System.getProperty("java.io.tmpdir")), System.getenv()::get);
    }

    static RunFolder of(Path temporary, Function<String, @Nullable String> environment) throws IOException {
        return new RunFolder(user(temporary), temporary, environment);
    }

    /**
     * The folder of this process, made if there is none.
     *
     * @param note receives a sentence if a folder with a random name is used, because others have taken the usual one
     * @throws IOException if there is none and none can be made
     */
    public static Path make(Consumer<String> note) throws IOException {
        try {
            return ofProcess().create(note);
        } catch (UnsupportedOperationException e) {
            throw new IOException("This system has no folders that only one user can enter.", e);
        }
    }

    /** The folders of all processes of the user: those with a session and those without. */
    public static List<Path> existing() throws IOException {
        try {
            return ofProcess().found();
        } catch (UnsupportedOperationException e) {
            return List.of();
        }
    }

    private String name() {
        return "verbena-" + user;
    }

    Path create(Consumer<String> note) throws IOException {
        for (Path folder : usual) {
            if (trusted(folder) || created(folder)) {
                return folder;
            }
        }
        List<Path> before = privateOnes();
        Path folder = before.isEmpty()
                ? Files.createTempDirectory(temporary, name() + '-', ONLY_THE_USER)
                : before.getFirst();
        note.accept(usual.getLast() + " belongs to another user, is open to others or cannot be made: " + folder
                + " is used.");
        return folder;
    }

    private boolean created(Path folder) {
        try {
            Files.createDirectory(folder, ONLY_THE_USER);
            return true;
        } catch (FileAlreadyExistsException e) {
            return trusted(folder); // another process of the user may have made it in this moment
        } catch (IOException e) {
            return false; // the next one is tried, and the last one states why it cannot be made
        }
    }

    List<Path> found() {
        List<Path> found = new ArrayList<>();
        usual.stream().filter(this::trusted).forEach(found::add);
        found.addAll(privateOnes());
        return found;
    }

    private List<Path> privateOnes() {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, name() + "-*")) {
            for (Path folder : folders) {
                if (found.size() < MOST_PRIVATE && trusted(folder)) {
                    found.add(folder);
                }
            }
        } catch (IOException e) {
            return found; // the folder for temporary files is missing or cannot be listed: those of the session remain
        }
        return found;
    }

    /** Whether only this user can have put something into the folder. */
    boolean trusted(Path folder) {
        try {
            Map<String, Object> found = Files.readAttributes(folder, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
            return Integer.valueOf(user).equals(found.get("uid"))
                    && found.get("mode") instanceof Integer mode
                    && (mode & TYPE) == DIRECTORY
                    && (mode & PERMISSIONS) == OF_THE_USER;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The number of the user: names may be missing, as in a container, or be those of several users. Linux states it; elsewhere a new file has it. The owner of
     * {@code /proc/self} is another one if the JVM has capabilities.
     */
    private static int user(Path temporary) throws IOException {
        Path status = Path.of("/proc/self/status");
        if (Files.isReadable(status)) {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith("Uid:")) {
                    return Integer.parseUnsignedInt(line.split("\\s+")[2]); // the effective one, which owns new files
                }
            }
        }
        Path file = Files.createTempFile(temporary, "verbena", "");
        try {
            return (int) Files.getAttribute(file, "unix:uid");
        } finally {
            Files.delete(file);
        }
    }
}
