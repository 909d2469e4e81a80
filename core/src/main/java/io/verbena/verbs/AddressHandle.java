package io.verbena.verbs;

/** Where a datagram goes. */
public interface AddressHandle extends AutoCloseable {

    /** As given at creation. */
    AddressHandleAttributes attributes();

    @Override
    void close();
}
