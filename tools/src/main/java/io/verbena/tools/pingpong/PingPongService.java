package io.verbena.tools.pingpong;

import io.verbena.verbs.TransportService;

/** One of the programs. */
public enum PingPongService {
    RC(TransportService.RELIABLE_CONNECTION),
    UC(TransportService.UNRELIABLE_CONNECTION),
    UD(TransportService.UNRELIABLE_DATAGRAM),
    /** Several RC queue pairs with one shared receive queue. */
    SRQ(TransportService.RELIABLE_CONNECTION);

    /** Most queue pairs of ibv_srq_pingpong. */
    public static final int MOST_QUEUE_PAIRS = 256;

    private final TransportService service;

    PingPongService(TransportService service) {
        this.service = service;
    }

    TransportService service() {
        return service;
    }

    /** Number of addresses that each side sends, whatever the number of its queue pairs. */
    int addresses() {
        return this == SRQ ? MOST_QUEUE_PAIRS : 1;
    }

    /** Whether messages can be lost: a lost message stalls both sides. */
    boolean unreliable() {
        return this == UC || this == UD;
    }
}
