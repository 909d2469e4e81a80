package io.verbena.ib.settings;

/** The properties that a reliable connection and an end-to-end context have in common. */
public abstract sealed class ReliableSettings permits RcSettings, RdSettings {

    private final int mtuBytes;
    private final int firstSendPsn;
    private final int firstReceivePsn;
    private final int retries;
    private final int receiverNotReadyRetries;
    private final long ackTimeoutNs;
    private final int receiverNotReadyCode;
    private final int windowPackets;
    private final long patienceNs;

    ReliableSettings(SettingsBuilder from) {
        mtuBytes = SettingsBuilder.validMtu(from.mtuBytes);
        firstSendPsn = from.firstSendPsn;
        firstReceivePsn = from.firstReceivePsn;
        retries = from.retries;
        receiverNotReadyRetries = from.receiverNotReadyRetries;
        ackTimeoutNs = from.ackTimeoutNs;
        receiverNotReadyCode = from.receiverNotReadyCode;
        patienceNs = from.patienceNs;
        windowPackets = SettingsBuilder.validWindow(from.windowPackets);
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

    /** Maximum number of retransmissions without progress, 0 to 7. */
    public int retries() {
        return retries;
    }

    /** The same after "receiver not ready", 0 to 6, or {@link RcSettings#UNLIMITED}. */
    public int receiverNotReadyRetries() {
        return receiverNotReadyRetries;
    }

    /** Time to wait for an acknowledgement; 0 waits without limit. */
    public long ackTimeoutNs() {
        return ackTimeoutNs;
    }

    /** Minimum silence of the peer until it is lost, unless its port is reported gone. */
    public long patienceNs() {
        return patienceNs;
    }

    /** RNR timer code in the answers of this side, 0 to 31. */
    public int receiverNotReadyCode() {
        return receiverNotReadyCode;
    }

    /** Maximum number of unacknowledged packets; responses to Reads count. */
    public int windowPackets() {
        return windowPackets;
    }

    /** Packets that one Read request asks for. */
    public int readPackets() {
        return SettingsBuilder.readPackets(windowPackets());
    }
}
