package io.verbena.ib.settings;

/** The negotiated properties of an unreliable connection, built by {@link SettingsBuilder}. */
public final class UcSettings {

    private final int localQp;
    private final int remoteQp;
    private final int mtuBytes;
    private final int firstSendPsn;
    private final int firstReceivePsn;
    private final int pKey;

    UcSettings(SettingsBuilder from) {
        localQp = from.local;
        remoteQp = from.remote;
        mtuBytes = SettingsBuilder.validMtu(from.mtuBytes);
        firstSendPsn = from.firstSendPsn;
        firstReceivePsn = from.firstReceivePsn;
        pKey = from.pKey;
    }

    /** Number of this queue pair. */
    public int localQp() {
        return localQp;
    }

    /** Number of the peer's queue pair. */
    public int remoteQp() {
        return remoteQp;
    }

    /** Payload of a full packet: 256, 512, 1024, 2048 or 4096 bytes. */
    public int mtuBytes() {
        return mtuBytes;
    }

    /** First PSN that the requester of this side sends. */
    public int firstSendPsn() {
        return firstSendPsn;
    }

    /** First PSN that the responder of this side expects. */
    public int firstReceivePsn() {
        return firstReceivePsn;
    }

    /** Partition key of the packets. */
    public int pKey() {
        return pKey;
    }
}
