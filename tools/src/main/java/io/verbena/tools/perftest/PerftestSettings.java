package io.verbena.tools.perftest;

import java.net.InetAddress;
import java.time.Duration;

/**
 * What to do; the letters are those of perftest. Both sides must use the same.
 *
 * @param test the measurement
 * @param messages the messages
 * @param path the way to the peer
 * @param timeout maximum time to wait for the peer
 */
public record PerftestSettings(Test test, Messages messages, Path path, Duration timeout) {

    /**
     * The measurement.
     *
     * @param op the program
     * @param service -c: the service of the queue pair
     * @param atomic -A: what an atomic test measures
     */
    public record Test(PerftestOp op, PerftestService service, PerftestAtomic atomic) {}

    /**
     * The messages.
     *
     * @param bytes -s: length of a message
     * @param iterations -n: number of messages
     * @param depth -t: number of messages under way, for a bandwidth
     * @param receiveDepth -r: number of receives posted at a time
     */
    public record Messages(int bytes, long iterations, int depth, int receiveDepth) {}

    /**
     * The way to the peer.
     *
     * @param mtuBytes -m: path MTU
     * @param reads -o: Reads at a time
     * @param localAddress local address of the RNIC
     */
    public record Path(int mtuBytes, int reads, InetAddress localAddress) {}
}
