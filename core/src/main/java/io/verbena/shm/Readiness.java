package io.verbena.shm;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a stream waits for, and what has been reported to it. The owner finds a failure in its next call, so a failure
 * is news of every kind, once. The end is reported once as well. One thread at a time.
 */
final class Readiness {

    private boolean wantsReadable = true;
    private boolean wantsWritable;
    private boolean endReported;
    private @Nullable IOException failure;
    private boolean failureReported;

    /** A look at the rings. */
    @FunctionalInterface
    private interface Look {
        boolean at(Rings rings) throws IOException;
    }

    /** Another owner waits for bytes. */
    void attached() {
        wantsReadable = true;
        wantsWritable = false;
    }

    void wantReadable(boolean wanted) {
        wantsReadable = wanted;
    }

    void wantWritable(boolean wanted) {
        wantsWritable = wanted;
    }

    boolean wantsWritable() {
        return wantsWritable;
    }

    // Failures and the end.

    boolean broken() {
        return failure != null;
    }

    /** Throws the failure, if there is one. */
    void check() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    /** The stream has failed. Returns the failure. */
    IOException fail(IOException e) {
        failure = e;
        return e;
    }

    /**
     * The shared memory is not accessible any more. The error may have interrupted the owner while it processed an event, even
     * the end of the stream: it is notified again.
     */
    void truncated(InternalError e) {
        failure = failure == null ? SideWords.lost(e) : failure;
        failureReported = false;
        endReported = false;
    }

    /** The owner has read the end. */
    void endReported() {
        endReported = true;
    }

    /** An event is about to be reported to the owner. */
    void reporting() {
        failureReported = failure != null;
    }

    // News. The rings are null before the set-up is complete.

    boolean readable(@Nullable Rings rings) {
        return wantsReadable && !endReported && news(rings, Rings::readable);
    }

    boolean writable(@Nullable Rings rings) {
        return wantsWritable && news(rings, Rings::writable);
    }

    /** Whether loans have been returned; they are taken. */
    boolean takeReturns(@Nullable Rings rings) {
        return failure == null && news(rings, Rings::takeReturns);
    }

    /** Whether loans have been returned; they are not taken. */
    boolean returnsWait(@Nullable Rings rings) {
        return failure == null && news(rings, Rings::returnsWait);
    }

    private boolean news(@Nullable Rings rings, Look look) {
        if (failure != null) {
            return !failureReported;
        }
        try {
            return rings != null && look.at(rings);
        } catch (IOException | InternalError e) {
            failure = SideWords.failure(e);
        }
        return true;
    }
}
