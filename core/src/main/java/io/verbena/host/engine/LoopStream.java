package io.verbena.host.engine;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import org.jspecify.annotations.Nullable;

/** A stream of an {@link EngineLoop}: what the loop remembers about it, whatever carries it. */
public abstract class LoopStream extends LoopSource implements ByteStream {

    /** Number of unanswered probes after which the system gives up a silent peer. */
    public static final int SYSTEM_PROBES = 4;

    /** Receives the events; does nothing while the stream is not attached. */
    @Nullable
    public StreamEvents events;

    @Override
    public final void signalsOnly() {
        mayBeHot = false;
    }

    @Override
    public final boolean attached() {
        return events != null;
    }

    @Override
    public final void tellReadable() {
        StreamEvents listener = events;
        if (listener != null) {
            listener.onReadable();
        }
    }

    @Override
    public final void tellWritable() {
        StreamEvents listener = events;
        if (listener != null) {
            listener.onWritable();
        }
    }

    /**
     * Seconds between probes of a silent peer by the system: half of the bound passes before the first probe, the
     * probes take the other half.
     */
    public static int probeStepS(long boundNs) {
        return Math.clamp(boundNs / 1_000_000_000L / 2 / SYSTEM_PROBES, 1, 32_767);
    }
}
