package io.verbena.objects;

/** Where a datagram goes: an address handle or an end-to-end context. */
public interface Destination extends Named {

    /** The number by which a work queue element names it. */
    int number();
}
