package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.Connection;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** The software RNIC over sockets: it can take over those that an application has in use. */
final class SocketRnic extends SoftRnic {

    SocketRnic(HostEnvironment environment, RnicOptions options) {
        super(environment, options);
    }

    @Override
    public Connection takeOver(QueuePair queuePair, SocketChannel stream, StreamConversion how) {
        if (!stream.isOpen() || !stream.isConnected()) {
            throw new IllegalArgumentException("the stream is not connected; give a connected SocketChannel");
        }
        if (stream.isRegistered()) {
            throw new IllegalArgumentException("the stream is registered with a selector: cancel its key, call selectNow once, "
                    + "and give it then");
        }
        boolean blocking = stream.isBlocking();
        SocketStream socket;
        try {
            socket = new SocketStream(stream);
        } catch (IOException e) {
            throw new IllegalArgumentException("the stream cannot be taken over: " + Sentences.reason(e), e);
        }
        try {
            return takeOver(queuePair, socket, how, SocketRnic::giveBack);
        } catch (RuntimeException e) {
            restore(stream, blocking);
            throw e;
        }
    }

    /** Nothing was taken over after all. */
    private static void restore(SocketChannel stream, boolean blocking) {
        try {
            stream.configureBlocking(blocking);
        } catch (IOException e) {
            // It is closed: its owner will find out.
        }
    }

    private static Optional<ReturnedStream> giveBack(ByteStream stream, byte[] alreadyRead) throws IOException {
        return Optional.of(new ReturnedStream(((SocketStream) stream).handBack(), alreadyRead));
    }
}
