package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.StreamReturn;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The software RNIC over sockets: it can take over those that an application has in use. On Linux it works with a descriptor of
 * its own, so the application's channel is closed as soon as the connection stands, and streaming code cannot touch RDMA bytes
 * even by mistake.
 */
final class SocketRnic extends SoftRnic {

    /** Channels of applications whose sockets are in start-up, or whose close is still to come. */
    private final Set<SocketChannel> taken = ConcurrentHashMap.newKeySet();

    SocketRnic(HostEnvironment environment, RnicOptions options) {
        super(environment, options);
    }

    @Override
    public Connection takeOver(QueuePair queuePair, SocketChannel stream, StreamConversion how) {
        if (!stream.isOpen() || !stream.isConnected()) {
            throw new IllegalArgumentException("the stream is not connected; give a connected SocketChannel");
        }
        if (stream.isRegistered()) {
            throw new IllegalArgumentException(
                    "the stream is registered with a selector: cancel its key, call selectNow once, "
                            + "and give it then");
        }
        boolean blocking = stream.isBlocking();
        ByteStream mine = takable(stream);
        try {
            Connection connection = takeOver(queuePair, mine, how, giveBack(stream, blocking));
            if (mine instanceof EpollStream) {
                taken.add(stream);
                connection.onStateChange((which, state) -> leaveToUs(stream, state));
            }
            return connection;
        } catch (RuntimeException e) {
            if (mine instanceof EpollStream) {
                mine.close(false);
            }
            restore(stream, blocking);
            throw e;
        }
    }

    private static ByteStream takable(SocketChannel stream) {
        try {
            if (!EpollLoop.obstacle().isEmpty()) {
                return new SocketStream(stream);
            }
            stream.configureBlocking(false);
            return OwnSockets.duplicate(stream);
        } catch (IOException e) {
            throw new IllegalArgumentException("the stream cannot be taken over: " + Sentences.reason(e), e);
        }
    }

    /** The application's channel goes when the connection stands, or has failed; a rejected stream stays open. */
    private void leaveToUs(SocketChannel stream, ConnectionState state) {
        if (state != ConnectionState.CONNECTING && taken.remove(stream) && state != ConnectionState.REJECTED) {
            close(stream);
        }
    }

    private static StreamReturn giveBack(SocketChannel stream, boolean blocking) {
        return (back, alreadyRead) -> {
            if (back instanceof EpollStream second) {
                second.close(false); // the application's own descriptor keeps the connection
            }
            stream.configureBlocking(blocking);
            return Optional.of(new ReturnedStream(stream, alreadyRead));
        };
    }

    /** Nothing was taken over after all. */
    private static void restore(SocketChannel stream, boolean blocking) {
        try {
            stream.configureBlocking(blocking);
        } catch (IOException e) {
            // It is closed: its owner will find out.
        }
    }

    private static void close(SocketChannel stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // The connection goes on, or has gone, by the other descriptor.
        }
    }

    @Override
    public void close() {
        super.close();
        taken.forEach(SocketRnic::close);
        taken.clear();
    }
}
