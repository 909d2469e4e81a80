package io.verbena.ib;

import io.verbena.wire.ib.Bth;

/**
 * What the two ends of an unreliable connection have agreed on.
 *
 * @param localQp number of this queue pair
 * @param remoteQp number of the peer's queue pair
 * @param mtuBytes payload of a full packet: 256, 512, 1024, 2048 or 4096
 * @param firstSendPsn first PSN that this side sends
 * @param firstReceivePsn first PSN that this side expects
 * @param pKey partition key of the packets
 */
public record UcSettings(int localQp, int remoteQp, int mtuBytes, int firstSendPsn, int firstReceivePsn, int pKey) {

    /** In the default partition. */
    public UcSettings(int localQp, int remoteQp, int mtuBytes, int firstSendPsn, int firstReceivePsn) {
        this(localQp, remoteQp, mtuBytes, firstSendPsn, firstReceivePsn, Bth.DEFAULT_P_KEY);
    }
}
