package io.verbena.ib.cm;

/**
 * What communication management knows of its port.
 *
 * @param addressHigh our GID, the first eight bytes
 * @param addressLow the last eight bytes
 * @param guid our CA GUID
 * @param udpPort where peers listen: 4791
 * @param pKey partition of requests
 * @param responseTimeoutCode how long a peer may take to answer; rdma_cm has 20 (4.3 s)
 * @param retries how often a message is sent again; rdma_cm has 15
 * @param mostWaiting most requests of peers that wait for the application
 * @param answersAlternates whether the application answers proposals of alternate paths; else they are rejected
 */
public record CmPort(
        long addressHigh,
        long addressLow,
        long guid,
        int udpPort,
        int pKey,
        int responseTimeoutCode,
        int retries,
        int mostWaiting,
        boolean answersAlternates) {

    /**
     * An alternate path as this side sees it.
     *
     * @param localHigh our address on it
     * @param remoteHigh the peer's address on it
     * @param ackTimeoutCode its time-out
     */
    public record Alternate(long localHigh, long localLow, long remoteHigh, long remoteLow, int ackTimeoutCode) {}

    /** With the figures of rdma_cm, for an address. */
    public static CmPort at(long addressHigh, long addressLow, long guid) {
        return new CmPort(addressHigh, addressLow, guid, 4791, 0xffff, 20, 15, 1024, false);
    }

    long responseTimeoutNs() {
        return CmConnection.timeNs(responseTimeoutCode);
    }

    /** Whether an address is ours. */
    boolean owns(long high, long low) {
        return high == addressHigh && low == addressLow;
    }
}
