package io.verbena.host;

/** What an {@link EngineLoop} watches and may read directly while it has traffic: a stream or a packet port. */
abstract class LoopSource {

    /** What the loop remembers about a hot source, see {@link HotStreams}. */
    boolean hot;

    /** Whether reading it in every round pays when it has traffic. */
    boolean mayBeHot = true;

    long toldRound;
    long seenBytes;
    int quietRounds;
    int busyRounds;

    /** Bytes read so far. */
    long readBytes;

    /** The loop reads the source in every round: the system need not report it, unless writability is needed. */
    void leaveSystem() {}

    /** The loop depends on the system again, which reports the current state first. */
    void rejoinSystem() {}

    /** Whether an owner receives the events. */
    abstract boolean attached();

    /** Whether the owner requests readability events. */
    abstract boolean wantsReadable();

    /** Whether the owner waits for writability. */
    abstract boolean wantsWritable();

    abstract void tellReadable();

    abstract void tellWritable();

    /** Reports what the source kept for the next round, see {@link EngineLoop#reportSoon}. */
    void tellKept() {}
}
