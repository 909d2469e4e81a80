package io.verbena.port;

/** Receives the events of an attached stream from its {@link StreamLoop}, in the thread that owns the engine. */
public interface StreamEvents {

    /**
     * Bytes, the end or an error may be available for reading. Spurious events are permitted; an event need not be
     * repeated before a read has returned nothing.
     */
    void onReadable();

    /**
     * The stream may accept bytes; reported only while requested, and need not be repeated before a write was
     * incomplete.
     */
    void onWritable();

    /** Loans may have been returned, see {@link LendingStream}. */
    default void onReturned() {}
}
