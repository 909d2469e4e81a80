package io.verbena.sim;

import io.verbena.port.StreamException;
import java.io.IOException;

/** How a virtual connection breaks, and what its streams report then: the same as the sockets of a real system. */
enum Breakage {
    /** The peer reset it. */
    RESET("Connection reset by peer"),
    /** The peer did not answer keep-alive probes. */
    SILENT("Connection timed out");

    private final String text;

    Breakage(String text) {
        this.text = text;
    }

    /** The failure of a read, or of a shutdown. */
    IOException onRead() {
        return this == SILENT ? new StreamException(StreamException.Reason.PEER_SILENT, text) : new IOException(text);
    }

    /** The failure of a write. */
    IOException onWrite() {
        return this == RESET ? new IOException("Broken pipe") : onRead();
    }

    @Override
    public String toString() {
        return text;
    }
}
