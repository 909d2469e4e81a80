package io.verbena.messaging;

/** Told what happens on an endpoint's channels, from inside {@link Endpoint#progress}. */
public interface ChannelListener {

    /** Whether a peer that says this hello may connect. */
    default boolean admits(byte[] hello) {
        return true;
    }

    /** What a peer that is admitted is told in return; {@link Channel#peerHello} on its side. */
    default byte[] answer(byte[] hello) {
        return new byte[0];
    }

    /** A peer's connection was admitted; it is not open yet. */
    default void accepted(Channel channel) {}

    /** Elements can go both ways. */
    default void opened(Channel channel) {}

    /**
     * An element is here. It is in its slot, so copy what is needed.
     *
     * @return false to leave it there: it is shown again at the next progress
     */
    boolean arrived(Channel channel, Element element);

    /** A Read or a Write of user memory is done; false if it failed. */
    default void transferred(Channel channel, long id, boolean ok) {}

    /** The channel is over; all elements that came were shown. */
    default void ended(Channel channel, String reason) {}
}
