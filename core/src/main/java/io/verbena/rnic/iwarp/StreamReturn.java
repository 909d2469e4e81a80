package io.verbena.rnic.iwarp;

import io.verbena.port.ByteStream;
import io.verbena.verbs.ReturnedStream;
import java.io.IOException;
import java.util.Optional;

/** How a stream that was taken over goes on for the application. Runs on the engine that has it. */
@FunctionalInterface
public interface StreamReturn {

    /**
     * The stream is ours: the switch was not rejected, it succeeded or failed. Called before the connection shows that, and
     * perhaps more than once.
     */
    default void keep() {}

    /**
     * The switch was rejected. The stream is attached to no loop any more.
     *
     * @param alreadyRead bytes of streaming mode that were read behind the rejection
     * @return what the application finds at its connection; empty if the stream does not go through it
     * @throws IOException when the stream is gone
     */
    Optional<ReturnedStream> giveBack(ByteStream stream, byte[] alreadyRead) throws IOException;
}
