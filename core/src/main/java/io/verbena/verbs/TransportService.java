package io.verbena.verbs;

/** Transport service of a queue pair (ibv_qp_type). */
public enum TransportService {
    /** One peer; everything arrives once and in order. The only service of iWARP. */
    RELIABLE_CONNECTION,
    /** One peer; messages may be lost. */
    UNRELIABLE_CONNECTION,
    /** Any peer, through end-to-end contexts; everything arrives once. */
    RELIABLE_DATAGRAM,
    /** Any peer; messages may be lost. */
    UNRELIABLE_DATAGRAM,
    /** IPv6 frames, unchanged. */
    RAW_DATAGRAM
}
