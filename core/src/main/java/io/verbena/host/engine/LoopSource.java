package io.verbena.host.engine;

/** What an {@link EngineLoop} watches and may read directly while it has traffic: a stream or a packet port. */
public abstract class LoopSource {

    /** What the loop remembers about a hot source, see {@link HotStreams}. */
    boolean hot;

    /** Whether reading it in every round pays when it has traffic. */
    boolean mayBeHot = true;

    public long reportedRound;
    long seenBytes;
    int quietRounds;
    public int busyRounds;

    /** Bytes read so far. */
    public long readBytes;

    /** The loop reads the source in every round: the system need not report it, unless writability is needed. */
    public void leaveSystem() {}

    /** The loop depends on the system again, which reports the current state first. */
    public void rejoinSystem() {}

    /** Whether an owner receives the events. */
    public abstract boolean attached();

    /** Whether the owner requests readability events. */
    public abstract boolean wantsReadable();

    /** Whether the owner waits for writability. */
    public abstract boolean wantsWritable();

    public abstract void tellReadable();

    public abstract void tellWritable();

    /** Reports what the source kept for the next round, see {@link EngineLoop#reportSoon}. */
    public void tellKept() {}
}
