package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * One engine's window on streams: makes connections, accepts them and tells when streams are ready. All methods and events
 * are used in the thread that owns the engine, except {@link #listen} and {@link Acceptor#close}, which any thread may call.
 */
public interface StreamLoop {

    /** Starts to connect; exactly one of the events follows, now or later. */
    void connect(SocketAddress remote, ConnectEvents events);

    /**
     * Starts to connect from a local address.
     *
     * @param local empty for the one that suits
     */
    default void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        if (local.isEmpty()) {
            connect(remote, events);
        } else {
            events.onConnectFailed(false, "these streams cannot start from a chosen local address");
        }
    }

    /** Nobody waits for this outcome of {@link #connect} any more: what was begun is closed, and no event follows. */
    default void giveUpConnecting(ConnectEvents events) {}

    /**
     * Makes a stream of a connected socket of the application.
     *
     * @param initiator whether this side began the conversation, for captures
     * @throws IOException when the socket is not usable
     * @throws UnsupportedOperationException when these streams are no sockets
     */
    default ByteStream adopt(SocketChannel socket, boolean initiator) throws IOException {
        throw new UnsupportedOperationException("This RNIC's streams are not sockets: it cannot take one over.");
    }

    /**
     * Gives a stream of {@link #adopt} back, which has been detached: the socket is as it was. The thread that owns the engine,
     * not while an event is told.
     *
     * @throws IOException when the socket is gone
     */
    default SocketChannel handBack(ByteStream stream) throws IOException {
        throw new UnsupportedOperationException("This RNIC's streams are not sockets.");
    }

    /**
     * Listens.
     *
     * @throws IOException when the address cannot be used
     */
    Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException;

    /** From now on the stream's readiness is told here. A stream that was detached elsewhere moves to this engine. */
    void attach(ByteStream stream, StreamEvents events);

    /** Stops telling. */
    void detach(ByteStream stream);

    /** Outcome of {@link #connect}. */
    interface ConnectEvents {

        void onConnected(ByteStream stream);

        /**
         * No stream.
         *
         * @param refused nobody listens there (else unreachable or something else)
         * @param sentence for people
         */
        void onConnectFailed(boolean refused, String sentence);
    }

    /** New streams of {@link #listen}; not attached yet. */
    interface AcceptEvents {

        void onAccepted(ByteStream stream);
    }

    /** A listening socket. */
    interface Acceptor {

        SocketAddress localAddress();

        /** Stops listening; no event comes after this returned. */
        void close();
    }
}
