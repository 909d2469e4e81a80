package io.verbena.tools.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file could not be used, as half a sentence. */
final class IoReasons {

    private IoReasons() {}

    /** The message of some exceptions is only the file's name. */
    static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException none -> "it does not exist";
            case AccessDeniedException denied -> "permission is denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
