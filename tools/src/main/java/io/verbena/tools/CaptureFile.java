package io.verbena.tools;

import io.verbena.tools.base.Failure;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file of a capture. Checked before a command begins its work. */
final class CaptureFile {

    private CaptureFile() {}

    /** The name of a file that can be written. */
    static String checked(Path file) throws Failure {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new Failure("Cannot write the capture to '" + file + "', which is a folder: name a file in it");
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Failure("Cannot write the capture to '" + file + "': there is no folder '" + folder + "'");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new Failure("Cannot write the capture to '" + file + "': permission denied");
        }
        return file.toString();
    }
}
