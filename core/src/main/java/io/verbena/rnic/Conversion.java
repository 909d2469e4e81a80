package io.verbena.rnic;

import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * A stream of the application that is to go into RDMA mode: where it comes from, and how it goes back when the switch is
 * rejected (RFC 5044 sections 7.1.2 to 7.1.5).
 */
final class Conversion {

    /** Takes the stream into an engine's loop, and back out of it. Used by that engine's thread. */
    private interface Source {
        ByteStream take(StreamLoop loop) throws IOException;

        Optional<ReturnedStream> giveBack(StreamLoop loop, ByteStream stream, byte[] alreadyRead) throws IOException;
    }

    /** A stream and the address at its other end. */
    record Given(Source source, SocketAddress remote) {}

    private final StreamConversion how;
    private final Source source;

    private Conversion(StreamConversion how, Source source) {
        this.how = how;
        this.source = source;
    }

    /** A socket of the application. */
    static Given of(SocketChannel socket, boolean initiator) {
        if (!socket.isConnected() || !socket.isOpen()) {
            throw new IllegalArgumentException("the stream is not connected; give a connected SocketChannel");
        }
        if (socket.isRegistered()) {
            throw new IllegalArgumentException("the stream is registered with a selector: cancel its key, call selectNow once, "
                    + "and give it then");
        }
        Source source = new Source() {
            @Override
            public ByteStream take(StreamLoop loop) throws IOException {
                return loop.adopt(socket, initiator);
            }

            @Override
            public Optional<ReturnedStream> giveBack(StreamLoop loop, ByteStream stream, byte[] alreadyRead)
                    throws IOException {
                return Optional.of(new ReturnedStream(loop.handBack(stream), alreadyRead));
            }
        };
        try {
            return new Given(source, socket.getRemoteAddress());
        } catch (IOException e) {
            throw new IllegalArgumentException("the stream is closed: " + e.getMessage(), e);
        }
    }

    /** Any stream; one that is given back is just detached. */
    static Given of(ByteStream stream) {
        Source source = new Source() {
            @Override
            public ByteStream take(StreamLoop loop) {
                return stream;
            }

            @Override
            public Optional<ReturnedStream> giveBack(StreamLoop loop, ByteStream back, byte[] alreadyRead) {
                return Optional.empty();
            }
        };
        return new Given(source, stream.remoteAddress());
    }

    /** Begins; what goes wrong from here on is told by the connection. */
    static Connection begin(SoftQueuePair queuePair, StreamConversion how, Given given) {
        SoftRnic rnic = queuePair.rnic();
        StartUpOptions options = how.initiator()
                ? SetUp.initiator(how.options(), queuePair.options(), rnic.options())
                : SetUp.responder(how.options(), queuePair.options(), rnic.options());
        SoftConnection connection = new SoftConnection(queuePair, given.remote());
        queuePair.life().claim(connection, ConnectionEvent.TAKE_OVER);
        SetUp setUp = new SetUp(queuePair, connection, options, how.options());
        Conversion conversion = new Conversion(how, given.source());
        queuePair.engine().submit(() -> conversion.start(setUp));
        return connection;
    }

    private void start(SetUp setUp) {
        if (setUp.queuePair().life().abandoned(setUp.connection())) {
            setUp.queuePair()
                    .life()
                    .abandon(setUp.connection(), "The queue pair was closed before the connection stood.");
            return;
        }
        ByteStream stream;
        try {
            stream = source.take(setUp.engine().loop());
        } catch (IOException | RuntimeException e) {
            setUp.queuePair().life().setUpFailed(setUp.connection(), Kind.FAILED, sentence(e));
            return;
        }
        StartUpEndpoint.conversion(setUp, stream, this);
    }

    private static String sentence(Exception e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    boolean initiator() {
        return how.initiator();
    }

    byte[] alreadyRead() {
        return how.alreadyRead();
    }

    byte[] lastStreamMessage() {
        return how.lastStreamMessage();
    }

    /** The word with which the peer's request is turned away; empty to accept it. */
    Optional<PrivateData> rejection(byte[] privateData) {
        try {
            return how.rejection().apply(privateData).map(PrivateData::of);
        } catch (RuntimeException e) {
            Log.callback("The filter of a conversion", e);
            return Optional.of(PrivateData.EMPTY);
        }
    }

    /** The switch was rejected: the stream is the application's again. */
    void giveBack(SetUp setUp, ByteStream stream, byte[] alreadyRead) {
        try {
            source.giveBack(setUp.engine().loop(), stream, alreadyRead).ifPresent(setUp.connection()::returned);
        } catch (IOException e) {
            // The socket is gone: whoever looks for the stream finds none, and the state says the rest.
            stream.close(true);
        }
    }
}
