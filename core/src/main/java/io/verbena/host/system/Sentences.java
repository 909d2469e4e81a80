package io.verbena.host.system;

import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** Words for people about what the operating system refuses. */
public final class Sentences {

    private Sentences() {}

    /** Why, as the end of a sentence. */
    public static String reason(Exception failure) {
        if (failure instanceof UnresolvedAddressException) {
            return "the host name is unknown.";
        }
        if (failure instanceof UnsupportedAddressTypeException) {
            return "this is not an Internet address.";
        }
        if (failure instanceof NoSuchFileException) {
            return "its directory does not exist.";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied.";
        }
        String message = failure instanceof FileSystemException file ? file.getReason() : failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.getClass().getSimpleName() + ".";
        }
        return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) + ".";
    }
}
