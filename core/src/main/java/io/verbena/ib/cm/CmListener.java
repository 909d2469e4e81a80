package io.verbena.ib.cm;

/**
 * The requests that a service accepts.
 *
 * @param transportServices bit n for the transport service n of a REQ: 0 RC, 1 UC, 2 RD
 * @param ipAddresses whether private data begins with the header of rdma_cm, which must contain the address of this
 *     port
 */
public record CmListener(int transportServices, boolean ipAddresses) {

    private static final long IP_PREFIX = 0x0100_0000L;
    private static final int TCP = 6;
    private static final int UDP = 17;

    /** Reliable and unreliable connections, by rdma_cm. */
    public static final CmListener IP = new CmListener(3, true);

    /** The same and end-to-end contexts. */
    public static final CmListener IP_AND_CONTEXTS = new CmListener(7, true);

    /** The service id of a port of rdma_cm's TCP port space (annex A11). */
    public static long tcpService(int port) {
        return service(TCP, port);
    }

    /** The service id of a port of rdma_cm's UDP port space, which datagram services use. */
    public static long udpService(int port) {
        return service(UDP, port);
    }

    /** The service id of a port number in the space of an IP protocol: 6 TCP, 17 UDP. */
    public static long service(int protocol, int port) {
        return IP_PREFIX | (long) protocol << 16 | port;
    }
}
