package io.verbena.storage.client;

import io.verbena.storage.host.BlockRequest;
import io.verbena.storage.wire.Status;
import java.io.IOException;

/** An operation on a disk failed. */
public final class DiskException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Kind {
        /** The target answered with an error, {@link DiskException#status}. */
        REFUSED,
        /** The connection was lost and could not be established again in time. A write may have been executed or not. */
        LOST,
        /** The client was closed. A write may have been executed or not. */
        CLOSED,
        /** The disk does not exist any more, or another one has its number. */
        GONE,
        /** The target does not have the operation. */
        UNSUPPORTED
    }

    private final Kind kind;
    private final int status;

    private DiskException(Kind kind, int status, String sentence) {
        super(sentence);
        this.kind = kind;
        this.status = status;
    }

    static DiskException of(int status, String reason) {
        return switch (status) {
            case BlockRequest.LOST -> new DiskException(Kind.LOST, 0, "The connection to the disk is lost: " + reason);
            case BlockRequest.CLOSED -> new DiskException(Kind.CLOSED, 0, "The disk client is closed.");
            case BlockRequest.GONE ->
                new DiskException(Kind.GONE, 0, "The disk was removed, or replaced by another one of its number.");
            case BlockRequest.UNSUPPORTED ->
                new DiskException(Kind.UNSUPPORTED, 0, "The target does not support this operation.");
            default ->
                new DiskException(
                        Kind.REFUSED,
                        status,
                        "The target failed the operation with status " + Status.describe(status) + ".");
        };
    }

    /** Why the operation failed. */
    public Kind kind() {
        return kind;
    }

    /** The status field of NVMe if the target refused the operation, otherwise 0. */
    public int status() {
        return status;
    }
}
