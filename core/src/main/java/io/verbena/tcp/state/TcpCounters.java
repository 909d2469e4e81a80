package io.verbena.tcp.state;

/** What a host has counted since it was created. Written by the thread that drives it. */
public final class TcpCounters {
    public long packetsIn;
    public long packetsOut;
    public long packetsDropped;
    public long checksumErrors;
    public long segmentsIn;
    public long segmentsOut;
    public long synsDropped;
    public long resetsOut;
    public long cookiesOut;
    public long cookiesAccepted;
    public long bytesCopied;

    public TcpCounters() {}

    /** Packets that arrived. */
    public long packetsIn() {
        return packetsIn;
    }

    /** Packets that were sent. */
    public long packetsOut() {
        return packetsOut;
    }

    /** Packets that were malformed, fragments, or for another address. */
    public long packetsDropped() {
        return packetsDropped;
    }

    /** Segments with a wrong checksum. */
    public long checksumErrors() {
        return checksumErrors;
    }

    /** TCP segments that arrived. */
    public long segmentsIn() {
        return segmentsIn;
    }

    /** TCP segments that were sent, without resets for unknown connections. */
    public long segmentsOut() {
        return segmentsOut;
    }

    /** SYNs that were not answered, because the host had too many connections or answers to send. */
    public long synsDropped() {
        return synsDropped;
    }

    /** Resets that answered segments of no connection. */
    public long resetsOut() {
        return resetsOut;
    }

    /** SYNs that were answered with a cookie, because the backlog of their listener was full. */
    public long cookiesOut() {
        return cookiesOut;
    }

    /** Connections that began with a cookie. */
    public long cookiesAccepted() {
        return cookiesAccepted;
    }

    /**
     * Bytes of arrived segments that were copied into receive rings. With delivery of segments, these are the bytes that the owner did not take in
     * its turn, and those that the carrier did not lend.
     */
    public long bytesCopied() {
        return bytesCopied;
    }
}
