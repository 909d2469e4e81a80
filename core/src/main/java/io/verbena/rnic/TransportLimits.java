package io.verbena.rnic;

import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.util.Set;

/**
 * What a transport can do.
 *
 * @param provider name of the provider that opens RNICs of this transport
 * @param type the protocol on the wire
 * @param services services that its queue pairs can have
 * @param operations operations that it carries, on one service or another
 * @param reads most Reads and atomics outstanding on a queue pair, in each direction
 * @param privateDataBytes most private data of a connection request
 * @param immediateBits bits of immediate data that reach the peer
 */
public record TransportLimits(
        String provider,
        TransportType type,
        Set<TransportService> services,
        Set<WorkOpcode> operations,
        int reads,
        int privateDataBytes,
        int immediateBits) {

    /** Keeps its own copies of the sets. */
    public TransportLimits {
        services = Set.copyOf(services);
        operations = Set.copyOf(operations);
    }
}
