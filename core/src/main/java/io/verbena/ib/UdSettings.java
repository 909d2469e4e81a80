package io.verbena.ib;

/**
 * What an unreliable datagram queue pair is set to.
 *
 * @param localQp its number
 * @param mtuBytes most bytes of a message: path MTU, 256 to 4096
 * @param firstSendPsn first PSN that it sends
 * @param pKey partition key of its packets
 * @param qKey its Q_Key: packets with another one are dropped
 * @param writes whether it sends and executes RDMA Writes, an extension between two Verbenas
 */
public record UdSettings(int localQp, int mtuBytes, int firstSendPsn, int pKey, int qKey, boolean writes) {

    /** Without the extension. */
    public UdSettings(int localQp, int mtuBytes, int firstSendPsn, int pKey, int qKey) {
        this(localQp, mtuBytes, firstSendPsn, pKey, qKey, false);
    }
}
