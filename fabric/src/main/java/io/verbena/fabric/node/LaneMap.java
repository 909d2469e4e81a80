package io.verbena.fabric.node;

/** The virtual lane of a frame on a link: the SL-to-VL tables of all nodes. Ports are numbered over the whole fabric. */
@FunctionalInterface
public interface LaneMap {

    /** {@code in} for frames that the node itself sends. */
    int SOURCE = -1;

    /** A frame keeps the lane that is its service level, modulo the number of lanes. */
    LaneMap BY_LEVEL = (in, out, level, lanes) -> level % lanes;

    /** The lane on the link of port {@code out} for a frame that came in by port {@code in}. */
    int lane(int in, int out, int level, int lanes);
}
