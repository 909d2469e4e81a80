package io.verbena.rnic.iwarp;

import io.verbena.port.ByteStream;
import io.verbena.verbs.ReturnedStream;
import java.io.IOException;
import java.util.Optional;

/** Returns a converted stream to the application. Called on the engine that drives the stream. */
@FunctionalInterface
public interface StreamReturn {

    /**
     * The stream belongs to the RNIC: the conversion was not rejected, but succeeded or failed. Called before the
     * connection shows that, possibly more than once.
     */
    default void keep() {}

    /**
     * The conversion was rejected. The stream is no longer attached to an event loop.
     *
     * @param alreadyRead bytes of streaming mode that followed the rejection
     * @return the stream for the application, available from its connection; empty if it is returned by other means
     * @throws IOException if the stream is gone
     */
    Optional<ReturnedStream> giveBack(ByteStream stream, byte[] alreadyRead) throws IOException;
}
