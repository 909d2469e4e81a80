package io.verbena.sim;

/**
 * What one of several paths between all hosts does to its packets, in addition to {@link PacketPlan}.
 *
 * @param delayNs time that each packet takes longer
 * @param loseOneIn one packet in this many is lost, on average; 0 for none
 * @param dead whether no packet arrives
 */
public record PathPlan(long delayNs, int loseOneIn, boolean dead) {

    /** A path like any other. */
    public static final PathPlan PLAIN = new PathPlan(0, 0, false);

    /** A path on which no packet arrives. */
    public static final PathPlan DEAD = new PathPlan(0, 0, true);

    /** A longer path. */
    public static PathPlan late(long delayNs) {
        return new PathPlan(delayNs, 0, false);
    }
}
