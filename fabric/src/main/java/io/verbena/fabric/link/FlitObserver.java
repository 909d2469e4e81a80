package io.verbena.fabric.link;

/** Observes the flits of all links: a trace, a picture. */
@FunctionalInterface
public interface FlitObserver {

    /** A port begins to transmit a flit, whose last bit will arrive at {@code arrival}. */
    void onTransmit(int port, long now, long arrival, FlitSent flit);
}
