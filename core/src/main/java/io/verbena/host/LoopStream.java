package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import org.jspecify.annotations.Nullable;

/** A stream of an {@link EngineLoop}: what the loop remembers about it, whatever carries it. */
abstract sealed class LoopStream implements ByteStream permits SocketStream, EpollStream {

    /** How often the system asks, and how many answers may be missing, before it gives a silent peer up. */
    static final int SYSTEM_PROBES = 4;

    /** Whom the loop tells; nobody while it is not attached. */
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

    /** The loop reads it in every round: the system need not tell of it, if it need not tell of room either. */
    void leaveSystem() {}

    /** The loop depends on the system's word again, which tells the present state first. */
    void rejoinSystem() {}

    /** Whether its owner wants to be told of bytes. */
    abstract boolean wantsReadable();

    /** Whether its owner waits for room to write. */
    abstract boolean wantsWritable();

    /** Seconds between the system's probes of a silent peer: half the bound passes in silence, the probes take the other half. */
    static int probeStepS(long boundNs) {
        return (int) Math.clamp(boundNs / 1_000_000_000L / 2 / SYSTEM_PROBES, 1, 32_767);
    }
}
