package io.verbena.files.failure;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The reason of a failed file operation, as the end of a sentence. */
public final class IoReasons {

    private IoReasons() {}

    /** Looks at the type, because the message of some exceptions is only the name of the file. */
    public static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException none -> "it does not exist";
            case AccessDeniedException denied -> "permission denied";
            case FileSystemException file when file.getReason() != null -> file.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
