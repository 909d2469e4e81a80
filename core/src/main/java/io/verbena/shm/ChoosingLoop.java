package io.verbena.shm;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.IdentityHashMap;
import java.util.Optional;

/**
 * A loop that chooses for each connection: shared memory if both ends are on one host and the listener has announced that it
 * accepts it, otherwise the socket itself, which then is used without anything around it. With {@code required}, all streams
 * go through shared memory, except sockets that are taken over.
 *
 * <p>A listener has one address for both. A peer of this host may begin with an {@link Offer}; what begins with anything else
 * is a peer that uses the socket. So a peer that knows nothing of shared memory sees no difference.
 */
public final class ChoosingLoop implements StreamLoop {

    static final String NO_OFFER =
            "this listener accepts shared memory only: its RNIC was opened with the provider shm;"
                    + " open both RNICs with the same provider";

    private final StreamLoop sockets;
    private final SharedMemoryLoop rings;
    private final Announcements announcements;
    private final boolean required;
    private final IdentityHashMap<ConnectEvents, OfferStage> offers = new IdentityHashMap<>();

    /**
     * Between two kinds of streams.
     *
     * @param rings around {@code sockets}
     */
    public ChoosingLoop(StreamLoop sockets, SharedMemoryLoop rings, Announcements announcements, boolean required) {
        this.sockets = sockets;
        this.rings = rings;
        this.announcements = announcements;
        this.required = required;
    }

    StreamLoop sockets() {
        return sockets;
    }

    SharedMemoryLoop rings() {
        return rings;
    }

    /** Whether both ends of a socket are on this host: both have the same address, or addresses of the loopback interface. */
    static boolean withinThisHost(ByteStream socket) {
        return socket.localAddress() instanceof InetSocketAddress local
                && socket.remoteAddress() instanceof InetSocketAddress remote
                && local.getAddress() != null
                && remote.getAddress() != null
                && (local.getAddress().equals(remote.getAddress())
                        || local.getAddress().isLoopbackAddress()
                                && remote.getAddress().isLoopbackAddress());
    }

    // Connecting.

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        connect(Optional.empty(), remote, events);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        if (required) {
            rings.connect(local, remote, events);
        } else if (announcements.announced(remote)) {
            OfferStage stage = new OfferStage(this, local, remote, events);
            offers.put(events, stage);
            stage.start();
        } else {
            sockets.connect(local, remote, events);
        }
    }

    void forget(ConnectEvents events) {
        offers.remove(events);
    }

    @Override
    public void giveUpConnecting(ConnectEvents events) {
        OfferStage stage = offers.get(events);
        if (stage != null) {
            stage.giveUp();
        } else if (required) {
            rings.giveUpConnecting(events);
        } else {
            sockets.giveUpConnecting(events);
        }
    }

    // Listening.

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        Acceptor acceptor = sockets.listen(
                local,
                backlog,
                socket -> events.onAccepted(
                        required || withinThisHost(socket) ? new ArrivingStream(this, socket, required) : socket));
        Announcements.Announcement announcement = announcements.announce(acceptor.localAddress());
        return new Acceptor() {
            @Override
            public SocketAddress localAddress() {
                return acceptor.localAddress();
            }

            @Override
            public void close() {
                announcement.close();
                acceptor.close();
            }
        };
    }

    // Streams.

    /** A socket that the application has used already remains one: nothing can be exchanged on it before its own bytes. */
    @Override
    public ByteStream adopt(ByteStream stream, boolean initiator) {
        return sockets.adopt(stream, initiator);
    }

    /** A socket that the application has accepted, and on which the peer has offered shared memory. */
    @Override
    public Optional<ByteStream> adoptBegun(ByteStream stream, byte[] first) {
        return Offer.begins(first)
                ? Optional.of(ArrivingStream.begun(this, sockets.adopt(stream, false), required, first))
                : Optional.empty();
    }

    @Override
    public void adoptOffering(ByteStream stream, ConnectEvents events) {
        OfferStage stage = new OfferStage(this, stream, events);
        offers.put(events, stage);
        stage.onConnected(sockets.adopt(stream, true));
    }

    @Override
    public ByteStream handBack(ByteStream stream) {
        return sockets.handBack(stream);
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        if (stream instanceof ArrivingStream arriving) {
            arriving.attach(this, events);
        } else {
            attachDecided(stream, events);
        }
    }

    void attachDecided(ByteStream stream, StreamEvents events) {
        rings.attach(stream, events); // which passes sockets on
    }

    @Override
    public void detach(ByteStream stream) {
        if (stream instanceof ArrivingStream arriving) {
            arriving.detach(this);
        } else {
            detachDecided(stream);
        }
    }

    void detachDecided(ByteStream stream) {
        rings.detach(stream);
    }

    @Override
    public ByteStream settled(ByteStream stream) {
        return stream instanceof ArrivingStream arriving ? arriving.settled() : stream;
    }
}
