package io.verbena.fabric.node;

/** What a fabric reports to its user: a traffic source, an RNIC. */
public interface FabricEvents {

    /**
     * The last flit of a frame has arrived at a port of an adapter. The number of the frame is valid during the call.
     *
     * @param intact false if a broken link has cut the frame
     */
    void onFrame(int port, int frame, boolean intact, long now);

    /** The tick came that {@link Fabric#wakeAt} asked for. */
    void onTick(int port, long now);
}
