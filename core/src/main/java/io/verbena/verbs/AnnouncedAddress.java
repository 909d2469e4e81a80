package io.verbena.verbs;

/** An address that a process has announced with {@link Rnic#announce}, until it is closed or the process ends. */
public interface AnnouncedAddress extends AutoCloseable {

    /** Withdraws the announcement. */
    @Override
    void close();
}
