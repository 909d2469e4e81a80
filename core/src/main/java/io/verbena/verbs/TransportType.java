package io.verbena.verbs;

/** Protocol on the wire. */
public enum TransportType {
    /** RDMAP, DDP and MPA over TCP (RFC 5040, 5041, 5044). */
    IWARP,
    /** InfiniBand transport over UDP. */
    ROCE_V2,
    /** InfiniBand transport over a system area network. */
    INFINIBAND,
    /** Memory shared between processes of one host. */
    SHARED_MEMORY
}
