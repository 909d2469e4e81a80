package io.verbena.messaging.channel;

/** Notified of events on the channels of an endpoint, from inside {@link Endpoint#progress}. */
public interface ChannelListener {

    /** Returns whether a peer that connects with this hello is accepted. */
    default boolean admits(byte[] hello) {
        return true;
    }

    /** Bytes returned to a peer that is accepted; {@link Channel#peerHello} on its side. */
    default byte[] answer(byte[] hello) {
        return new byte[0];
    }

    /** The connection of a peer was accepted; the channel is not open yet. */
    default void accepted(Channel channel) {}

    /** The channel is open: elements can be transferred in both directions. */
    default void opened(Channel channel) {}

    /**
     * An element has arrived. It stays in its slot only during this call: copy what is needed.
     *
     * @return false to leave it in its slot; it is delivered again by the next progress
     */
    boolean arrived(Channel channel, Element element);

    /** A Read or a Write of user memory has completed; {@code ok} is false if it failed. */
    default void transferred(Channel channel, long id, boolean ok) {}

    /** The channel has ended; all elements that had arrived were delivered before. */
    default void ended(Channel channel, String reason) {}

    /** The figures of the channels are being emitted as events, by another thread: the layer above emits its own. */
    default void emitFigures() {}
}
