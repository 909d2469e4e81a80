package io.verbena.messaging.ring;

/** A channel, as its rings see it. */
public interface RingOwner {

    /** Address of the peer, for events. */
    String peer();

    /** Returns whether elements must be written with immediate data because the peer does not poll. */
    boolean announces();

    /** Returns whether the connection has ended and the elements that arrived before are being delivered. */
    boolean draining();

    /**
     * Delivers an element to the layer above.
     *
     * @return false to leave it in its slot; it is delivered again by the next progress
     */
    boolean deliver();

    /** Requests that the channel is serviced by the next progress. */
    void activate();

    /** Aborts the connection: the peer violated the protocol, or a bound was exceeded. */
    void fail(String reason);
}
