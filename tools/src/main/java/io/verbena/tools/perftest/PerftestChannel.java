package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;
import java.io.IOException;

/**
 * How the two programs exchange what they must know of each other. Every step is a swap of as much each way, in which the client
 * sends first.
 */
interface PerftestChannel {

    boolean client();

    /** Exchanges as many bytes each way. Returns fewer if the peer has closed the channel. */
    byte[] swap(byte[] own) throws IOException, Failure;

    /** Exchanges addresses. */
    PerftestAddress swap(PerftestAddress own) throws IOException, Failure;

    /**
     * Waits until the peer sends something or closes the channel, without a time-out.
     *
     * @param check runs several times per second; what it throws ends the wait
     */
    void await(Runnable check) throws IOException, Failure;

    /** The failure of an exchange that the peer has left. */
    static Failure closedBefore(String what) {
        return new Failure("The peer closed the TCP connection before it had sent its " + what
                + "; both sides must run the same program of perftest with the same options");
    }

    /** The last word of this side. */
    void end() throws IOException, Failure;
}
