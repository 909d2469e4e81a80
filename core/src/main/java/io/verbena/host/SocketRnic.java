package io.verbena.host;

import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.epoll.EpollStream;
import io.verbena.host.socket.SocketStream;
import io.verbena.host.system.Sentences;
import io.verbena.port.ByteStream;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.rnic.iwarp.StreamReturn;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.Connection;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostSharing;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.TcpCarrier;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The software RNIC over sockets: it can take over sockets that an application uses. On Linux it works with a
 * duplicated file descriptor, so the channel of the application is closed as soon as the connection is established, and
 * streaming code cannot access RDMA bytes by mistake.
 */
final class SocketRnic extends SoftRnic {

    /** Channels of applications whose sockets are in start-up, or are yet to be closed. */
    private final Set<SocketChannel> taken = ConcurrentHashMap.newKeySet();

    private final boolean ownTcp;
    private final Optional<HostSharing> sharing;

    SocketRnic(HostEnvironment environment, RnicOptions options, IwarpTransport transport) {
        super(environment, options, transport);
        sharing = environment.sharing();
        ownTcp = options.iwarp().tcp() != TcpCarrier.KERNEL;
    }

    @Override
    public Connection takeOver(QueuePair queuePair, SocketChannel stream, StreamConversion conversion) {
        if (!stream.isOpen() || !stream.isConnected()) {
            throw new IllegalArgumentException("the stream is not connected; give a connected SocketChannel");
        }
        if (stream.isRegistered()) {
            throw new IllegalArgumentException(
                    "the stream is registered with a selector; cancel its key, call selectNow once, "
                            + "and try again");
        }
        if (ownTcp) {
            throw new IllegalArgumentException(
                    "the stream is a connection of the system's TCP, and this RNIC has the TCP"
                            + " of the library: open an RNIC with the TCP of the system to convert it");
        }
        boolean blocking = stream.isBlocking();
        boolean taken = false;
        try {
            Connection connection = EpollLoop.obstacle().isEmpty()
                    ? takeSecond(queuePair, stream, conversion, new Return(stream, blocking))
                    : takeOver(queuePair, SocketStream.borrowed(stream), conversion, new Return(stream, blocking));
            taken = true;
            return connection;
        } catch (IOException e) {
            throw new IllegalArgumentException("the stream cannot be converted: " + Sentences.reason(e), e);
        } finally {
            if (!taken) {
                restore(stream, blocking);
            }
        }
    }

    @Override
    public AnnouncedAddress announce(SocketAddress listening) {
        return sharing.map(ours -> ours.announce(listening)).orElse(() -> {});
    }

    @Override
    public boolean announced(SocketAddress remote) {
        return sharing.filter(ours -> ours.announced(remote)).isPresent();
    }

    @Override
    public Optional<HostMemory> hostMemory() {
        return sharing.map(HostSharing::memory);
    }

    private Connection takeOver(
            QueuePair queuePair, ByteStream stream, StreamConversion conversion, StreamReturn rejected) {
        return IwarpTransport.takeOver(SoftQueuePair.of(queuePair, context()), stream, conversion, rejected);
    }

    private Connection takeSecond(
            QueuePair queuePair, SocketChannel stream, StreamConversion conversion, Return rejected)
            throws IOException {
        stream.configureBlocking(false);
        EpollStream second = OwnSockets.duplicate(stream);
        boolean begun = false;
        taken.add(stream);
        try {
            Connection connection = takeOver(queuePair, second, conversion, rejected);
            begun = true;
            return connection;
        } finally {
            if (!begun) {
                taken.remove(stream);
                second.close(false);
            }
        }
    }

    /** The fate of the application's channel: closed, if the RNIC has a descriptor of its own, or returned. */
    private final class Return implements StreamReturn {
        private final SocketChannel stream;
        private final boolean blocking;

        Return(SocketChannel stream, boolean blocking) {
            this.stream = stream;
            this.blocking = blocking;
        }

        @Override
        public void keep() {
            if (taken.remove(stream)) {
                close(stream);
            }
        }

        @Override
        public Optional<ReturnedStream> giveBack(ByteStream back, byte[] alreadyRead) throws IOException {
            if (back instanceof EpollStream second) {
                taken.remove(stream);
                second.close(false); // the application's own descriptor keeps the connection
            }
            stream.configureBlocking(blocking);
            return Optional.of(new ReturnedStream(stream, alreadyRead));
        }
    }

    /** Undoes a conversion that did not start. */
    private static void restore(SocketChannel stream, boolean blocking) {
        try {
            stream.configureBlocking(blocking);
        } catch (IOException e) {
            // It is closed, which its owner will notice.
        }
    }

    private static void close(SocketChannel stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // The connection continues, or has ended, with the other descriptor.
        }
    }

    @Override
    public void close() {
        super.close();
        taken.forEach(SocketRnic::close);
        taken.clear();
    }
}
