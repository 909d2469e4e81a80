package io.verbena.verbs;

import java.nio.channels.SocketChannel;

/**
 * A stream that was given to {@link Rnic#takeOver} and whose switch to RDMA was rejected: it is the application's again, in the
 * blocking mode that it had.
 *
 * @param stream the stream
 * @param alreadyRead bytes of streaming mode that were read behind the rejection; they come before all others
 */
public record ReturnedStream(SocketChannel stream, byte[] alreadyRead) {

    /** Keeps its own copy. */
    public ReturnedStream {
        alreadyRead = alreadyRead.clone();
    }

    @Override
    public byte[] alreadyRead() {
        return alreadyRead.clone();
    }
}
