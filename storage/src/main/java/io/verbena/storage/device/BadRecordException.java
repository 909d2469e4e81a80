package io.verbena.storage.device;

import java.io.IOException;

/** A record of a disk that cannot be replayed onto this disk. */
public final class BadRecordException extends IOException {
    private static final long serialVersionUID = 1;

    BadRecordException(String message) {
        super(message);
    }
}
