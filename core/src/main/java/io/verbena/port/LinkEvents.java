package io.verbena.port;

/** Receives the events of a {@link LinkPort}, in the thread that owns the engine. */
public interface LinkEvents {

    /** Frames may have arrived, or the device is gone. Need not be repeated before a receive has returned nothing. */
    void onReadable();

    /** A frame may be accepted again; reported only while requested. */
    void onWritable();
}
