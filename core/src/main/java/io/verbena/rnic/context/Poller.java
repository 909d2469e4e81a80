package io.verbena.rnic.context;

/** A place in a program that polls: it drives the engines if callers drive them. */
@FunctionalInterface
public interface Poller {

    /** Drives all INLINE engines of the calling thread once and returns a measure of the work done. */
    int progress();
}
