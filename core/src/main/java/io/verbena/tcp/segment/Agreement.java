package io.verbena.tcp.segment;

import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.TcpOptionWriter;

/**
 * What two peers agree on in the handshake, by the options of their SYNs: selective acknowledgments, the scale of windows, and
 * the size of segments. An option is used only if both sides have sent it (RFC 7323 section 1.3, RFC 2018 section 2).
 */
public final class Agreement {

    /** Least segment size that is accepted from a peer, so that a hostile one does not cause a flood of headers. */
    public static final int LEAST_MSS = 48;

    /** The largest window without a scale. */
    public static final int UNSCALED = 65_535;

    private static final int MAX_SHIFT = 14;

    private final TcpSettings.Features features;
    private boolean sack;
    private int sendShift;
    private int receiveShift;
    private int peerMss;

    /**
     * What this side proposes.
     *
     * @param defaultMss the segment size of a peer that does not state it
     */
    public Agreement(TcpSettings settings, int defaultMss) {
        peerMss = defaultMss;
        features = settings.features();
        int shift = 0;
        while (settings.receiveBytes() >> shift > UNSCALED && shift < MAX_SHIFT) {
            shift++;
        }
        receiveShift = shift;
    }

    /** Takes what the peer's SYN offers. */
    public void onPeerSyn(SynOffer offer) {
        sack = features.sack() && offer.sack();
        boolean scaled = features.windowScale() && offer.windowScale() != TcpOptionReader.ABSENT;
        sendShift = scaled ? offer.windowScale() : 0;
        receiveShift = scaled ? receiveShift : 0;
        peerMss = Math.max(LEAST_MSS, offer.mss());
    }

    /**
     * Writes the options of a SYN, except timestamps.
     *
     * @param mss the segment size that this side accepts, without regard to options (RFC 9293 section 3.7.1 [1])
     * @param answer whether the peer's SYN has arrived
     */
    public void write(TcpOptionWriter options, int mss, boolean answer) {
        options.mss(mss);
        if (answer ? sack : features.sack()) {
            options.sackPermitted();
        }
        if (features.windowScale() && (!answer || scales())) {
            options.windowScale(receiveShift);
        }
    }

    /** The window of a SYN, which is never scaled (RFC 7323 section 2.2). */
    public static int firstWindow(TcpSettings settings) {
        return Math.min(UNSCALED, settings.receiveBytes());
    }

    /** Whether selective acknowledgments are used. */
    public boolean sack() {
        return sack;
    }

    /** By how many bits the windows that the peer advertises are scaled. */
    public int sendShift() {
        return sendShift;
    }

    /** By how many bits the windows of this side are scaled: as proposed, and after the peer's SYN as agreed. */
    public int receiveShift() {
        return receiveShift;
    }

    /** Whether windows are scaled in at least one direction. */
    private boolean scales() {
        return receiveShift > 0 || sendShift > 0;
    }

    /** The largest segment that the peer accepts. */
    public int peerMss() {
        return peerMss;
    }
}
