package io.verbena.web;

import java.util.List;

/**
 * A network at a time.
 *
 * @param nodesDown numbers of the nodes that do not work
 * @param linksDown numbers of the links that do not work
 * @param loads for each lane the load of each direction of each link in percent: direction 0 of a link is at the even place
 * @param events what has happened to it, in the order of time
 * @param facts figures of the whole network, in the order in which they are shown
 */
public record NetworkState(
        Clock clock,
        List<Integer> nodesDown,
        List<Integer> linksDown,
        List<byte[]> loads,
        List<Event> events,
        List<Fact> facts) {

    /** Copies the lists, but not the loads. */
    public NetworkState {
        nodesDown = List.copyOf(nodesDown);
        linksDown = List.copyOf(linksDown);
        loads = List.copyOf(loads);
        events = List.copyOf(events);
        facts = List.copyOf(facts);
    }

    /** What the time of a network does. */
    public enum Pace {
        /** It stands still. */
        PAUSED,
        /** It passes. */
        RUNNING,
        /** It passes as fast as possible, towards a time that was asked for. */
        SEEKING,
        /** Nothing more will happen. */
        ENDED
    }

    /**
     * The time of a network.
     *
     * @param nowNs since its begin
     * @param reachedNs the latest time that it has been at
     * @param speed nanoseconds of its time in a second, if its pace is {@link Pace#RUNNING}
     * @param trace a digest of everything that has happened; empty if there is none
     */
    public record Clock(long nowNs, long reachedNs, Pace pace, double speed, String trace) {}

    /** Something that has happened, or that will happen again if the time comes. */
    public record Event(long timeNs, String sentence) {}

    /** A figure in words. */
    public record Fact(String name, String value) {}
}
