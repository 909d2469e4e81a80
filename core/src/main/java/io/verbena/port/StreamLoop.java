package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Connects and accepts the streams of one engine and reports their readiness. All methods and events are used in the
 * thread that owns the engine, except {@link #listen} and {@link Acceptor#close}, which any thread may call.
 */
public interface StreamLoop {

    /** Starts to connect; exactly one event follows, now or later. */
    void connect(SocketAddress remote, ConnectEvents events);

    /**
     * Starts to connect from a local address.
     *
     * @param local empty to leave the choice to the system
     */
    default void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        if (local.isEmpty()) {
            connect(remote, events);
        } else {
            events.onConnectFailed(false, "this kind of stream does not support a local address");
        }
    }

    /** Cancels {@link #connect}: the attempt is closed, and no event follows. */
    default void giveUpConnecting(ConnectEvents events) {}

    /**
     * Takes over a stream that was created elsewhere and is not attached to any loop. Called by the thread that owns
     * the engine.
     *
     * @param initiator whether this side started the conversation, for captures
     * @return the stream to attach
     */
    default ByteStream adopt(ByteStream stream, boolean initiator) {
        return stream;
    }

    /**
     * Takes over a stream as {@link #adopt} does, whose peer has begun the conversation with bytes that mean something to this
     * loop. Called by the thread that owns the engine.
     *
     * @param first the bytes that were read from it
     * @return the stream to attach; empty if the bytes are not for this loop
     */
    default Optional<ByteStream> adoptBegun(ByteStream stream, byte[] first) {
        return Optional.empty();
    }

    /**
     * Takes over a stream as {@link #adopt} does, as the side that started the conversation, and offers its peer what this loop
     * has in the place of the stream. The peer expects that. Exactly one event follows, now or later, unless {@link #giveUpConnecting} cancels it.
     */
    default void adoptOffering(ByteStream stream, ConnectEvents events) {
        events.onConnected(adopt(stream, true));
    }

    /**
     * Returns a stream of {@link #adopt} that has been detached; the loop releases it. Called by the thread that owns
     * the engine, but not within an event.
     */
    default ByteStream handBack(ByteStream stream) {
        return stream;
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address cannot be used
     */
    Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException;

    /**
     * Reports the readiness of the stream from now on. A stream that was detached from another loop moves to this
     * engine.
     */
    void attach(ByteStream stream, StreamEvents events);

    /** Stops reporting the readiness of the stream. */
    void detach(ByteStream stream);

    /**
     * The stream that does the same as a detached one at less cost, after its first bytes have shown what it is: to be used
     * instead of it.
     */
    default ByteStream settled(ByteStream stream) {
        return stream;
    }

    /** Outcome of {@link #connect}. */
    interface ConnectEvents {

        void onConnected(ByteStream stream);

        /**
         * The connection failed.
         *
         * @param refused whether nothing listens at the address (otherwise unreachable, or another reason)
         * @param sentence the reason, for people
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

        /** Stops listening. After the return no event follows. */
        void close();
    }
}
