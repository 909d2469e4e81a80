package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
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
     * Takes a stream that was made elsewhere and is attached to no loop: what is attached then is the answer. The thread that
     * owns the engine.
     *
     * @param initiator whether this side began the conversation, for captures
     */
    default ByteStream adopt(ByteStream stream, boolean initiator) {
        return stream;
    }

    /**
     * Gives a stream of {@link #adopt} back, which has been detached: this loop knows it no more. The thread that owns the
     * engine, not while an event is told.
     */
    default ByteStream handBack(ByteStream stream) {
        return stream;
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
