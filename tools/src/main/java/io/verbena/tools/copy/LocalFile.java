package io.verbena.tools.copy;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A local path as {@code cp} understands it: a folder stands for a file in it, and a link for the file that it names. */
public record LocalFile(Path path) {

    /**
     * Checks that the file can be copied to a server.
     *
     * @throws Failure when it cannot
     */
    public void checkSource() throws Failure {
        if (!Files.exists(path)) {
            throw new Failure("There is no file '" + path + "'");
        }
        if (!Files.isRegularFile(path)) {
            throw new Failure("'" + path + "' is not a regular file");
        }
        if (!Files.isReadable(path)) {
            throw new Failure("Cannot read the file '" + path + "': permission denied");
        }
    }

    /** The last part of its name, through links. */
    public String name() throws IOException {
        Path last = path.toRealPath().getFileName();
        return last == null ? "" : last.toString();
    }

    /**
     * The file that a fetch writes or replaces.
     *
     * @param name of the file at the server, which it gets in a folder
     * @param replace whether an existing file may be replaced
     */
    public Path target(String name, boolean replace) throws Failure, IOException {
        Path target = Files.isDirectory(path) ? inside(name) : path;
        if (Files.isDirectory(target)) {
            throw new Failure("'" + target + "' is a folder; name a file in it");
        }
        if (Files.exists(target) && !replace) {
            throw new Failure("The file '" + target + "' exists already, and -n was given");
        }
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            throw new Failure("'" + target + "' is not a regular file and cannot be replaced");
        }
        Path folder = target.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Failure("There is no folder '" + folder + "' to write '" + target.getFileName() + "' to");
        }
        return Files.exists(target) ? target.toRealPath() : target;
    }

    private Path inside(String name) throws Failure {
        if (name.contains("/") || name.contains("\\") || name.equals(".") || name.equals("..")) {
            throw new Failure("'" + name + "' cannot be the name of a file in '" + path + "'; name the local file too");
        }
        return path.resolve(name);
    }
}
