package io.verbena.verbs;

/**
 * What one side knows about a path of its connection. The numbers count from the beginning of the connection.
 *
 * @param number number of the path, from 0
 * @param state whether requests take the path
 * @param roundTripNs average time from a request to its answer, in nanoseconds; -1 if it is not known yet
 * @param bytes sent, with headers, and with what was sent again
 * @param losses packets that were taken for lost
 * @param marks reports of the peer that a router has marked packets of the path
 */
public record ConnectionPath(int number, PathState state, long roundTripNs, long bytes, long losses, long marks) {}
