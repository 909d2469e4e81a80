package io.verbena.rnic;

import io.verbena.port.ByteStream;
import io.verbena.verbs.ReturnedStream;
import java.io.IOException;
import java.util.Optional;

/** What becomes of a stream whose switch to RDMA mode was rejected. Runs on the engine that had it. */
@FunctionalInterface
public interface StreamReturn {

    /**
     * The stream is attached to no loop any more.
     *
     * @param alreadyRead bytes of streaming mode that were read behind the rejection
     * @return what the application finds at its connection; empty if the stream does not go through it
     * @throws IOException when the stream is gone
     */
    Optional<ReturnedStream> giveBack(ByteStream stream, byte[] alreadyRead) throws IOException;
}
