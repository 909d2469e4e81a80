package io.verbena.rnic.context;

import io.verbena.objects.PostingRules;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.util.Set;

/**
 * Capabilities of a transport.
 *
 * @param provider name of the provider that opens RNICs of this transport
 * @param type the protocol on the wire
 * @param services services that its queue pairs can have
 * @param operations operations that at least one service supports
 * @param connection limits of a connection
 * @param adapter what the adapter can do, apart from its transport
 */
public record TransportLimits(
        String provider,
        TransportType type,
        Set<TransportService> services,
        Set<WorkOpcode> operations,
        Connection connection,
        AdapterLimits adapter) {

    /**
     * Limits of a connection.
     *
     * @param reads maximum number of outstanding Reads and atomic operations per queue pair and direction
     * @param privateDataBytes maximum private data of a connection request
     * @param immediateBits number of bits of immediate data that reach the peer
     */
    public record Connection(int reads, int privateDataBytes, int immediateBits) {}

    /** Those of a transport at an adapter without limits of its own. */
    public TransportLimits(
            String provider,
            TransportType type,
            Set<TransportService> services,
            Set<WorkOpcode> operations,
            Connection connection) {
        this(provider, type, services, operations, connection, AdapterLimits.NONE);
    }

    /** The same at an adapter with limits. */
    public TransportLimits with(AdapterLimits limits) {
        return new TransportLimits(provider, type, services, operations, connection, limits);
    }

    /** Copies the sets. */
    public TransportLimits {
        services = Set.copyOf(services);
        operations = Set.copyOf(operations);
    }

    /** Whether a service sends datagrams, so that there are address handles. */
    public boolean datagrams() {
        return services.stream().anyMatch(PostingRules::datagram);
    }

    /** The misuse of a transport without datagrams: a request for an address handle. */
    public UnsupportedOperationException noDatagrams() {
        return new UnsupportedOperationException("The transport " + provider
                + " has no datagram services, so there are no address handles; connect a queue pair instead.");
    }
}
