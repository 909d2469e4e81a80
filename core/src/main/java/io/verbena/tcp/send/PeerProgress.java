package io.verbena.tcp.send;

/** When the peer was last seen to make progress, while something is unacknowledged. */
final class PeerProgress {

    private long lastNs;
    private boolean ownerless;

    /** The peer has acknowledged data, or there was no unacknowledged data until now. */
    void advanced(long nowNs) {
        lastNs = nowNs;
    }

    /** A deadline was noticed late by this time, in which this process had no processor: that is no silence of the peer. */
    void late(long byNs) {
        lastNs += byNs;
    }

    /** The owner of the connection has left: the peer must acknowledge data from now on. */
    void ownerless(long nowNs) {
        ownerless = true;
        lastNs = nowNs;
    }

    /**
     * The peer has answered a probe of its closed window, so it is alive (RFC 9293 section 3.8.6.1 [2]). Without an owner that is not enough: a
     * peer could hold connections and buffers indefinitely (RFC 6429).
     */
    void answered(long nowNs) {
        if (!ownerless) {
            lastNs = nowNs;
        }
    }

    /** Whether the peer has made no progress for this time. */
    boolean lacksFor(long boundNs, long nowNs) {
        return nowNs - lastNs >= boundNs;
    }
}
