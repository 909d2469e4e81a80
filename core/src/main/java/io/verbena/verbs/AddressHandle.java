package io.verbena.verbs;

/** Destination of datagrams (ibv_ah). */
public interface AddressHandle extends AutoCloseable {

    /** The attributes given at creation. */
    AddressHandleAttributes attributes();

    @Override
    void close();
}
