package io.verbena.ib.settings;

/** The properties of an unreliable datagram queue pair, built by {@link SettingsBuilder}. */
public final class UdSettings {

    private final int localQp;
    private final int mtuBytes;
    private final int firstSendPsn;
    private final int pKey;
    private final int qKey;
    private final boolean writes;

    UdSettings(SettingsBuilder from) {
        localQp = from.local;
        mtuBytes = SettingsBuilder.validMtu(from.mtuBytes);
        firstSendPsn = from.firstSendPsn;
        pKey = from.pKey;
        qKey = from.qKey;
        writes = from.writes;
    }

    /** Its number. */
    public int localQp() {
        return localQp;
    }

    /** Maximum length of a message: the path MTU. */
    public int mtuBytes() {
        return mtuBytes;
    }

    /** First PSN that it sends. */
    public int firstSendPsn() {
        return firstSendPsn;
    }

    /** Partition key of the packets. */
    public int pKey() {
        return pKey;
    }

    /** Its Q_Key. Packets with another one are dropped. */
    public int qKey() {
        return qKey;
    }

    /** Whether it sends and executes RDMA Writes, an extension between two Verbenas. */
    public boolean writes() {
        return writes;
    }
}
