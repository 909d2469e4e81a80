package io.verbena.port;

/** What a {@link StreamLoop} tells about an attached stream, in the thread that owns the engine. */
public interface StreamEvents {

    /**
     * Bytes, the end or an error may be there to read. May be told too often, and need not be told again before a read has
     * found nothing.
     */
    void onReadable();

    /** There may be room to write; told only while wanted, and need not be told again before a write came short. */
    void onWritable();
}
