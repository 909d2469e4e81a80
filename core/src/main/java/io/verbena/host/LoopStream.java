package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import org.jspecify.annotations.Nullable;

/** A stream of an {@link EngineLoop}: what the loop remembers about it, whatever carries it. */
abstract sealed class LoopStream implements ByteStream permits SocketStream, EpollStream {

    /** Number of unanswered probes after which the system gives up a silent peer. */
    static final int SYSTEM_PROBES = 4;

    /** Receives the events; does nothing while the stream is not attached. */
    @Nullable
    StreamEvents events;

    /** What the loop remembers about a hot stream, see {@link HotStreams}. */
    boolean hot;

    long toldRound;
    long seenBytes;
    int quietRounds;
    int busyRounds;

    /** Bytes read so far. */
    long readBytes;

    /** The loop reads the stream in every round: the system need not report it, unless writability is needed. */
    void leaveSystem() {}

    /** The loop depends on the system again, which reports the current state first. */
    void rejoinSystem() {}

    /** Whether the owner requests readability events. */
    abstract boolean wantsReadable();

    /** Whether the owner waits for writability. */
    abstract boolean wantsWritable();

    /**
     * Seconds between probes of a silent peer by the system: half of the bound passes before the first probe, the
     * probes take the other half.
     */
    static int probeStepS(long boundNs) {
        return (int) Math.clamp(boundNs / 1_000_000_000L / 2 / SYSTEM_PROBES, 1, 32_767);
    }
}
