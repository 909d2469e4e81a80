package io.verbena.sim;

/**
 * The virtual TCP of connections that deliver segments in any order.
 *
 * @param plan the treatment of segments
 * @param random source of its decisions
 */
record SegmentTcp(SegmentPlan plan, SimRandom random) {}
