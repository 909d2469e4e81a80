package io.verbena.verbs;

import java.nio.channels.SocketChannel;

/**
 * A stream that was passed to {@link Rnic#takeOver} and whose conversion was rejected. It belongs to the application
 * again and has its original blocking mode.
 *
 * @param stream the stream
 * @param alreadyRead bytes of the streaming mode that the RNIC read after the rejection; they precede all other bytes
 *     of the stream
 */
public record ReturnedStream(SocketChannel stream, byte[] alreadyRead) {

    /** Copies the bytes. */
    public ReturnedStream {
        alreadyRead = alreadyRead.clone();
    }

    @Override
    public byte[] alreadyRead() {
        return alreadyRead.clone();
    }
}
