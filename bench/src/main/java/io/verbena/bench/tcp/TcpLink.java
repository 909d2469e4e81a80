package io.verbena.bench.tcp;

/** One side of a TCP connection to a {@link KernelPeer}: each call measures on a connection of its own. */
interface TcpLink {

    /** Bytes per second that the peer receives. */
    double out(long milliseconds) throws Exception;

    /** Bytes per second that this side receives. */
    double in(long milliseconds) throws Exception;

    /** Half of the median round trip of a message of 8 bytes, in microseconds. */
    double halfRoundTripUs(int rounds) throws Exception;
}
