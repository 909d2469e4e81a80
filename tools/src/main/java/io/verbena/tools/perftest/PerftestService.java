package io.verbena.tools.perftest;

import io.verbena.verbs.TransportService;

/** -c of perftest: the service of the queue pair that is measured. */
public enum PerftestService {
    RC(TransportService.RELIABLE_CONNECTION),
    UC(TransportService.UNRELIABLE_CONNECTION),
    UD(TransportService.UNRELIABLE_DATAGRAM);

    private final TransportService service;

    PerftestService(TransportService service) {
        this.service = service;
    }

    TransportService service() {
        return service;
    }

    /** Whether perftest measures this operation with the service. */
    public boolean supports(PerftestOp op) {
        return switch (this) {
            case RC -> true;
            case UC -> op.sends() || op.writes();
            case UD -> op.sends();
        };
    }
}
