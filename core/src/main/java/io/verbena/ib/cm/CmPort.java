package io.verbena.ib.cm;

/**
 * The properties of a port that communication management uses.
 *
 * @param addressHigh GID of this port, the first eight bytes
 * @param addressLow the last eight bytes
 * @param guid CA GUID of this port
 * @param udpPort UDP port of peers: 4791
 * @param pKey partition key of requests
 * @param responseTimeoutCode time-out code for answers of a peer; rdma_cm uses 20 (4.3 s)
 * @param retries maximum number of retries of a message; rdma_cm uses 15
 * @param mostWaiting maximum number of requests of peers that wait for the application
 * @param answersAlternates whether the application answers proposals of alternate paths; otherwise they are rejected
 * @param others further GIDs by which requests reach this side
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
        boolean answersAlternates,
        Gids others) {

    private static final int DELAY_DOUBLINGS = 2;
    private static final int LONGEST_CODE = 31;

    /** GIDs of a side that has several. */
    @FunctionalInterface
    public interface Gids {

        /** No further GID. */
        Gids NONE = (high, low) -> false;

        boolean contains(long high, long low);
    }

    /** A port with one GID. */
    public CmPort(
            long addressHigh,
            long addressLow,
            long guid,
            int udpPort,
            int pKey,
            int responseTimeoutCode,
            int retries,
            int mostWaiting,
            boolean answersAlternates) {
        this(
                addressHigh,
                addressLow,
                guid,
                udpPort,
                pKey,
                responseTimeoutCode,
                retries,
                mostWaiting,
                answersAlternates,
                Gids.NONE);
    }

    /** The same with further GIDs. */
    public CmPort with(Gids further) {
        return new CmPort(
                addressHigh,
                addressLow,
                guid,
                udpPort,
                pKey,
                responseTimeoutCode,
                retries,
                mostWaiting,
                answersAlternates,
                further);
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
        return new CmPort(addressHigh, addressLow, guid, 4791, 0xffff, 20, 15, 1024, false);
    }

    long responseTimeoutNs() {
        return CmConnection.timeNs(responseTimeoutCode);
    }

    /** Time-out code of an MRA: four times the time-out for answers. */
    int delayCode() {
        return Math.min(LONGEST_CODE, responseTimeoutCode + DELAY_DOUBLINGS);
    }

    /** Whether an address belongs to this port. */
    boolean owns(long high, long low) {
        return high == addressHigh && low == addressLow || others.contains(high, low);
    }
}
