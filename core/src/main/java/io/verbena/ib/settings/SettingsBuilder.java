package io.verbena.ib.settings;

import io.verbena.ib.packet.Psn;
import io.verbena.wire.ib.Bth;
import java.util.List;
import java.util.Set;

/**
 * Collects the properties of a queue pair or end-to-end context by name, and builds the settings of its service. Each
 * service uses the properties that it has and ignores the others.
 */
public final class SettingsBuilder {

    int local;
    int remote;
    int mtuBytes = 1024;
    int firstSendPsn;
    int firstReceivePsn;
    int pKey = Bth.DEFAULT_P_KEY;
    int qKey;
    int outboundReads;
    int inboundReads;
    int retries = 7;
    int receiverNotReadyRetries = RcSettings.UNLIMITED;
    long ackTimeoutNs = 67_108_864;
    int receiverNotReadyCode = 12;
    int windowPackets = 128;
    long keepAliveNs;
    long patienceNs;
    boolean writes;
    int paths = 1;
    int pathBurst = 1;
    List<AddressPair> addressPairs = List.of();
    Set<RcOption> options = Set.of();

    /** Number of the queue pair, or of the context, on this side. */
    public SettingsBuilder local(int number) {
        local = number;
        return this;
    }

    /** Number of the peer's queue pair or context. */
    public SettingsBuilder remote(int number) {
        remote = number;
        return this;
    }

    /** Path MTU: 256, 512, 1024, 2048 or 4096; 1024 by default. */
    public SettingsBuilder mtuBytes(int bytes) {
        mtuBytes = bytes;
        return this;
    }

    /** First PSN of each direction. */
    public SettingsBuilder firstPsns(int send, int receive) {
        firstSendPsn = send;
        firstReceivePsn = receive;
        return this;
    }

    /** Partition key; the default partition by default. */
    public SettingsBuilder pKey(int key) {
        pKey = key;
        return this;
    }

    /** Q_Key of a datagram queue pair; 0 by default. */
    public SettingsBuilder qKey(int key) {
        qKey = key;
        return this;
    }

    /** Reads and atomics that may be outstanding at the peer, and at this side; both 0 by default: none. */
    public SettingsBuilder reads(int outbound, int inbound) {
        outboundReads = outbound;
        inboundReads = inbound;
        return this;
    }

    /**
     * Retries without progress, after a time-out and after "receiver not ready"; 7 and {@link RcSettings#UNLIMITED} by
     * default.
     */
    public SettingsBuilder retries(int afterTimeout, int afterReceiverNotReady) {
        retries = afterTimeout;
        receiverNotReadyRetries = afterReceiverNotReady;
        return this;
    }

    /** Time to wait for an acknowledgement, 0 without limit; 67 ms by default (code 14). */
    public SettingsBuilder ackTimeoutNs(long timeoutNs) {
        ackTimeoutNs = timeoutNs;
        return this;
    }

    /** RNR timer code in the answers of this side, 0 to 31; 12 by default (0.64 ms). */
    public SettingsBuilder receiverNotReadyCode(int code) {
        receiverNotReadyCode = code;
        return this;
    }

    /** Maximum number of unacknowledged packets; 128 by default. */
    public SettingsBuilder windowPackets(int packets) {
        windowPackets = packets;
        return this;
    }

    /** Whether a datagram queue pair sends and executes RDMA Writes; false by default. */
    public SettingsBuilder writes(boolean on) {
        writes = on;
        return this;
    }

    /** Maximum silence of the peer of an idle reliable connection; 0 for no limit, the default. */
    public SettingsBuilder keepAliveNs(long silenceNs) {
        keepAliveNs = silenceNs;
        return this;
    }

    /** Minimum silence of the peer until it is lost, unless its port is reported gone; 0 by default. */
    public SettingsBuilder patienceNs(long silenceNs) {
        patienceNs = silenceNs;
        return this;
    }

    /** Number of paths over which requests are spread, if the options permit it; 1 by default. */
    public SettingsBuilder paths(int number) {
        paths = number;
        return this;
    }

    /** Packets in succession on one path: a port that sends groups by one call sends only packets of one path so; 1 by default. */
    public SettingsBuilder pathBurst(int packets) {
        pathBurst = packets;
        return this;
    }

    /** Further addresses of both sides, which paths use once the peer has answered there; none by default. */
    public SettingsBuilder addressPairs(List<AddressPair> pairs) {
        addressPairs = List.copyOf(pairs);
        return this;
    }

    /** Options of a reliable connection; none by default. */
    public SettingsBuilder options(RcOption... chosen) {
        options = Set.of(chosen);
        return this;
    }

    /** Settings of a reliable connection. */
    public RcSettings reliableConnection() {
        return new RcSettings(this);
    }

    /** Settings of an unreliable connection. */
    public UcSettings unreliableConnection() {
        return new UcSettings(this);
    }

    /** Settings of an unreliable datagram queue pair. */
    public UdSettings datagram() {
        return new UdSettings(this);
    }

    /** Settings of an end-to-end context of the reliable datagram service. */
    public RdSettings context() {
        return new RdSettings(this);
    }

    static int validMtu(int mtuBytes) {
        if (Integer.bitCount(mtuBytes) != 1 || mtuBytes < 256 || mtuBytes > 4096) {
            throw new IllegalArgumentException(
                    "path MTU " + mtuBytes + " is not valid: use 256, 512, 1024, 2048 or 4096 bytes");
        }
        return mtuBytes;
    }

    static int validWindow(int packets) {
        if (packets < 1 || packets > Psn.MASK / 2) {
            throw new IllegalArgumentException("window of " + packets + " packets is not valid: use 1 to 2^23 - 1");
        }
        return packets;
    }

    /**
     * Packets that one Read request asks for. A longer Read is several requests, so that their responses fit the
     * window.
     */
    static int readPackets(int windowPackets) {
        return Math.max(1, windowPackets / 2);
    }
}
