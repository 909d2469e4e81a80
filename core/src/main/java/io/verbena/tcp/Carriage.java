package io.verbena.tcp;

/** What the carrier of a host does with its packets. */
enum Carriage {
    /** It carries whole IP packets as they are. */
    PACKETS,
    /** It carries IP packets, computes the checksum of TCP, and splits a packet of up to 64 KiB into segments. */
    OFFLOADED,
    /** It carries TCP segments in UDP packets. */
    UDP,
    /** The same, and the checksum of UDP is verified, so that the one of TCP is not needed. */
    SUMMED_UDP
}
