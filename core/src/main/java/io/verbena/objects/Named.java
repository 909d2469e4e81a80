package io.verbena.objects;

/** An object that a request names: its back end has checked that it is one of the domain. */
public interface Named {

    /** Whether it was closed, so that no request can use it. */
    boolean closed();
}
