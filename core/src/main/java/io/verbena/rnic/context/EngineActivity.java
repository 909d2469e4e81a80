package io.verbena.rnic.context;

/**
 * What an engine thread has done so far.
 *
 * @param rounds number of rounds that had work, whichever thread ran them
 * @param parks how often the engine thread went to sleep
 * @param busyNs time in rounds of the engine thread that had work
 */
public record EngineActivity(long rounds, long parks, long busyNs) {}
