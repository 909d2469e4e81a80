package io.verbena.ib;

import java.util.Set;

/** The negotiated properties of a reliable connection, built by {@link SettingsBuilder}. */
public final class RcSettings {

    /** The number of retries after "receiver not ready" that has no limit. */
    public static final int UNLIMITED = 7;

    private final int localQp;
    private final int remoteQp;
    private final int mtuBytes;
    private final int firstSendPsn;
    private final int firstReceivePsn;
    private final int outboundReads;
    private final int inboundReads;
    private final int retries;
    private final int receiverNotReadyRetries;
    private final long ackTimeoutNs;
    private final int receiverNotReadyCode;
    private final int windowPackets;
    private final Set<RcOption> options;

    RcSettings(SettingsBuilder from) {
        localQp = from.local;
        remoteQp = from.remote;
        mtuBytes = SettingsBuilder.validMtu(from.mtuBytes);
        firstSendPsn = from.firstSendPsn;
        firstReceivePsn = from.firstReceivePsn;
        outboundReads = from.outboundReads;
        inboundReads = from.inboundReads;
        retries = from.retries;
        receiverNotReadyRetries = from.receiverNotReadyRetries;
        ackTimeoutNs = from.ackTimeoutNs;
        receiverNotReadyCode = from.receiverNotReadyCode;
        windowPackets = SettingsBuilder.validWindow(from.windowPackets);
        options = from.options;
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

    /** Reads and atomics of this side that may be outstanding at the peer; 0 for none. */
    public int outboundReads() {
        return outboundReads;
    }

    /** Reads and atomics of the peer that this side keeps; 0 for none. */
    public int inboundReads() {
        return inboundReads;
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

    /** RNR timer code in the answers of this side, 0 to 31. */
    public int receiverNotReadyCode() {
        return receiverNotReadyCode;
    }

    /** Maximum number of unacknowledged packets; responses to Reads count. */
    public int windowPackets() {
        return windowPackets;
    }

    /** Options that both ends use. */
    public Set<RcOption> options() {
        return options;
    }

    /** Packets that one Read request asks for. */
    int readPackets() {
        return SettingsBuilder.readPackets(windowPackets);
    }
}
