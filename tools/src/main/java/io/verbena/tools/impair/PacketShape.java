package io.verbena.tools.impair;

/**
 * Where the parts of a packet are.
 *
 * <pre>
 *   | Ethernet | IPv4 or IPv6 | UDP or TCP | content            | padding of Ethernet |
 *              network        transport    content              end
 * </pre>
 *
 * @param kind what it carries
 * @param version 4 or 6 for IP, otherwise 0
 * @param networkAt offset of the IP header; {@link #ABSENT} in the payload of a datagram
 * @param transportAt offset of the UDP or TCP header; {@link #ABSENT} likewise
 * @param contentAt offset of what follows these headers
 * @param end offset after the content
 */
record PacketShape(Kind kind, int version, int networkAt, int transportAt, int contentAt, int end) {

    /** A header that this side does not see. */
    static final int ABSENT = -1;

    /** What a packet carries. */
    enum Kind {
        /** RoCEv2: the content is a packet of the InfiniBand transport. */
        ROCE,
        /** TCP, and so iWARP. */
        TCP,
        /** Other datagrams. */
        UDP,
        /** ARP, ICMP, neighbor discovery, fragments and everything else. */
        OTHER
    }

    boolean ipv4() {
        return version == 4;
    }

    int contentBytes() {
        return end - contentAt;
    }
}
