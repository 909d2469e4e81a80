package io.verbena.files;

import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/** Observes a copy. Every method does nothing by default; the thread that called {@link Copier} calls them. */
public interface CopyListener {

    /** The direction of a copy. */
    enum Stage {
        FETCH,
        STORE
    }

    /** The file is open at the server, and chunks begin to move. */
    default void onBegin(Stage stage, long bytes) {}

    /** The number of bytes that are done. Called about 20 times a second. */
    default void onProgress(long doneBytes) {}

    /** No more chunks move, either because all are done or because the copy failed. */
    default void onEnd() {}

    /** No server listens at the address yet; the copy tries again for the given time. Called once. */
    default void onServerAbsent(SocketAddress server, Duration retryFor) {}

    /** A fetch continues with what an earlier run left in this file. */
    default void onResume(Path part) {}

    /** The server was restarted during a store; the store checks which chunks the server's file still has. */
    default void onServerRestart() {}

    /** The server's list is longer than a server of this version can offer; only this many names are used. */
    default void onListCut(int names) {}
}
