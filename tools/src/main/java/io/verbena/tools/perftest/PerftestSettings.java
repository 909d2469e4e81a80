package io.verbena.tools.perftest;

import java.net.InetAddress;
import java.time.Duration;

/**
 * What to do; the letters are those of perftest. Both sides must use the same.
 *
 * @param op the program
 * @param service -c: the service of the queue pair
 * @param atomic -A: what an atomic test measures
 * @param bytes -s: length of a message
 * @param iterations -n: number of messages
 * @param depth -t: number of messages under way, for a bandwidth
 * @param receiveDepth -r: number of receives posted at a time
 * @param mtuBytes -m: path MTU
 * @param reads -o: Reads at a time
 * @param timeout maximum time to wait for the peer
 * @param localAddress local address of the RNIC
 */
public record PerftestSettings(
        PerftestOp op,
        PerftestService service,
        PerftestAtomic atomic,
        int bytes,
        long iterations,
        int depth,
        int receiveDepth,
        int mtuBytes,
        int reads,
        Duration timeout,
        InetAddress localAddress) {}
