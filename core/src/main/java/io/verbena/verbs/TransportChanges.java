package io.verbena.verbs;

/**
 * What a connection that {@linkplain Connection#survives survives} has gone through, since it was established.
 *
 * @param changes number of changes to another transport
 * @param repeated number of requests of this side that were sent again, because the peer had not executed them or
 *     their data
 *     had not arrived
 * @param recovered number of requests of this side that the peer had executed before a change, and that completed
 *     because it
 *     remembered them
 */
public record TransportChanges(long changes, long repeated, long recovered) {

    /** There was no change. */
    public static final TransportChanges NONE = new TransportChanges(0, 0, 0);
}
