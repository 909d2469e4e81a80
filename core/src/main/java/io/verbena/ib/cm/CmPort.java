package io.verbena.ib.cm;

/**
 * The properties of a port that communication management uses.
 *
 * @param address of this port
 * @param responseTimeoutCode time-out code for answers of a peer; rdma_cm uses 20 (4.3 s)
 * @param retries maximum number of retries of a REQ, REP or SIDR REQ; rdma_cm uses 15, the most that a REQ can state. Other messages are
 *     repeated {@link #statedRetries} times
 * @param mostWaiting maximum number of requests of peers that wait for the application
 * @param answersAlternates whether the application answers proposals of alternate paths; otherwise they are rejected
 * @param others further GIDs by which requests reach this side
 */
public record CmPort(
        Address address,
        int responseTimeoutCode,
        int retries,
        int mostWaiting,
        boolean answersAlternates,
        Gids others) {

    private static final int DELAY_DOUBLINGS = 2;

    /** The field of a REQ has four bits. */
    private static final int MOST_STATED_RETRIES = 15;

    private static final int LONGEST_CODE = 31;

    /**
     * The address of a port, and what its messages state about it.
     *
     * @param high GID of the port, the first eight bytes
     * @param low the last eight bytes
     * @param guid CA GUID of the port
     * @param udpPort UDP port of peers: 4791
     * @param pKey partition key of requests
     */
    public record Address(long high, long low, long guid, int udpPort, int pKey) {

        /** An address at the registered UDP port and in the default partition. */
        public static Address of(long high, long low, long guid) {
            return new Address(high, low, guid, 4791, 0xffff);
        }
    }

    /** GIDs of a side that has several. */
    @FunctionalInterface
    public interface Gids {

        /** No further GID. */
        Gids NONE = (high, low) -> false;

        boolean contains(long high, long low);
    }

    /**
     * An alternate path from the perspective of this side.
     *
     * @param localHigh address of this side on the path
     * @param remoteHigh address of the peer on the path
     * @param ackTimeoutCode time-out code of the path
     */
    public record Alternate(long localHigh, long localLow, long remoteHigh, long remoteLow, int ackTimeoutCode) {}

    /** A port with the parameters of rdma_cm. */
    public static CmPort at(long addressHigh, long addressLow, long guid) {
        return new CmPort(Address.of(addressHigh, addressLow, guid), 20, 15, 1024, false, Gids.NONE);
    }

    long responseTimeoutNs() {
        return CmConnection.timeNs(responseTimeoutCode);
    }

    /** The number of retries that a REQ states, and that of messages which are not part of a set-up. */
    int statedRetries() {
        return Math.min(retries, MOST_STATED_RETRIES);
    }

    /** Time-out code of an MRA: four times the time-out for answers. */
    int delayCode() {
        return Math.min(LONGEST_CODE, responseTimeoutCode + DELAY_DOUBLINGS);
    }

    /** Whether an address belongs to this port. */
    boolean owns(long high, long low) {
        return high == address.high() && low == address.low() || others.contains(high, low);
    }
}
