package io.verbena.fabric.link;

/** What uses the links: switches and adapters. Ports are numbered over the whole fabric. */
public interface LinkEnds {

    /** The lanes, a bit for each, with a flit that port {@code port} could send now if it has credits. */
    int readyLanes(int port, long now);

    /** After {@link #readyLanes}: the tick at which the next flit becomes ready; {@link TimingWheel#NEVER} if none is on its way. */
    long nextReady();

    /** Whether a port may have another flit to send after the one that was just taken; false only if it will be offered later. */
    boolean mayHaveMore(int port);

    /** Removes the next flit of a lane that {@link #readyLanes} named. */
    int takeFlit(int port, int lane, long now);

    /** A flit has arrived undamaged and in order. */
    void onFlit(int port, int lane, int flit, long now);

    /** The tick came that {@link Links#wakeAt} asked for. */
    void onTick(int port, long now);
}
