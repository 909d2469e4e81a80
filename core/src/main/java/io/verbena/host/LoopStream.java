package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import org.jspecify.annotations.Nullable;

/** A stream of an {@link EngineLoop}: what the loop remembers about it, whatever carries it. */
abstract sealed class LoopStream implements ByteStream permits SocketStream, EpollStream {

    /** Whom the loop tells; nobody while it is not attached. */
    @Nullable
    StreamEvents events;

    /** What the loop remembers about a hot stream, see {@link HotStreams}. */
    boolean hot;

    long toldRound;
    long seenBytes;
    int quietRounds;

    /** Bytes read so far. */
    long readBytes;

    /** Whether its owner wants to be told of bytes. */
    abstract boolean wantsReadable();
}
