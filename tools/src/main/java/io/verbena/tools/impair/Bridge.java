package io.verbena.tools.impair;

import java.io.IOException;
import java.util.List;

/** Carries packets between the two ends of a forwarder and the network. Nothing blocks; one thread. */
interface Bridge {

    /** Takes packets that have arrived. */
    @FunctionalInterface
    interface Taker {
        void take(Side from, Packet packet);
    }

    /**
     * Passes some of the packets that have arrived to the taker.
     *
     * @return whether there were any
     * @throws IOException if an end is gone, with a sentence
     */
    boolean receive(Taker taker) throws IOException;

    /**
     * Sends a packet to the other side.
     *
     * @return false if the network accepts none now: the caller tries again later
     * @throws IOException if an end is gone, with a sentence
     */
    boolean send(Impairment.Passing passing) throws IOException;

    /** What the ends are, for people. */
    String ends();

    /** What a user has to know about these ends, one line each. */
    List<String> notes();

    /** What happened at them besides the rules, one line each. */
    List<String> findings();
}
