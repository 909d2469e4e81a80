package io.verbena.tools.perftest;

import io.verbena.tools.text.Latencies;
import java.util.Optional;

/**
 * What a run has measured, here or, on the passive side, at the peer.
 *
 * @param op the program
 * @param bytes length of a message
 * @param iterations number of messages
 * @param bytesPerSecond bandwidth; 0 if this side does not know it
 * @param latencies the latency of each message; empty for a bandwidth, and on the passive side
 */
public record PerftestResult(
        PerftestOp op, int bytes, long iterations, double bytesPerSecond, Optional<Latencies> latencies) {}
