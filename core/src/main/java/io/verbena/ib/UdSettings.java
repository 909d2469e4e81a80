package io.verbena.ib;

/**
 * What an unreliable datagram queue pair is set to.
 *
 * @param localQp its number
 * @param mtuBytes most bytes of a message: path MTU, 256 to 4096
 * @param firstSendPsn first PSN that it sends
 * @param pKey partition key of its packets
 * @param qKey its Q_Key: packets with another one are dropped
 */
public record UdSettings(int localQp, int mtuBytes, int firstSendPsn, int pKey, int qKey) {}
