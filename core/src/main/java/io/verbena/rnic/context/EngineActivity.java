package io.verbena.rnic.context;

import java.util.OptionalLong;

/**
 * What drives an engine has done so far.
 *
 * @param rounds number of rounds that had work, whichever thread ran them
 * @param parks how often the engine thread went to sleep; empty for an engine without a thread of its own
 * @param busyNs time in rounds of the engine thread that had work; empty if it is not measured
 */
public record EngineActivity(long rounds, OptionalLong parks, OptionalLong busyNs) {}
