package io.verbena.ib;

import io.verbena.base.PacketPath;

/**
 * Where a packet came from, as its carrier tells it. An address has 16 bytes; see {@link PacketPath#addressHigh}. One object
 * serves all packets of a port.
 */
public final class Origin {

    private long sourceHigh;
    private long sourceLow;
    private long targetHigh;
    private long targetLow;
    private int trafficClass;
    private int hopLimit = 64;

    /** The sender. */
    public Origin source(long high, long low) {
        sourceHigh = high;
        sourceLow = low;
        return this;
    }

    /** The address that the packet was sent to: ours, or a multicast group's. */
    public Origin target(long high, long low) {
        targetHigh = high;
        targetLow = low;
        return this;
    }

    /** The IPv4 TOS or IPv6 traffic class byte. */
    public Origin trafficClass(int value) {
        trafficClass = value;
        return this;
    }

    /** The IPv4 TTL or IPv6 hop limit; 64 where the carrier does not tell it. */
    public Origin hopLimit(int value) {
        hopLimit = value;
        return this;
    }

    public long sourceHigh() {
        return sourceHigh;
    }

    public long sourceLow() {
        return sourceLow;
    }

    public long targetHigh() {
        return targetHigh;
    }

    public long targetLow() {
        return targetLow;
    }

    public int trafficClass() {
        return trafficClass;
    }

    public int hopLimit() {
        return hopLimit;
    }

    /** Whether a router on the way was congested. */
    public boolean congested() {
        return PacketPath.ecn(trafficClass) == PacketPath.CONGESTION_EXPERIENCED;
    }

    /** Whether the sender has a path's address. Its port is not compared: a peer may send from any port. */
    public boolean from(PacketPath path) {
        return path.addressHigh() == sourceHigh && path.addressLow() == sourceLow;
    }
}
