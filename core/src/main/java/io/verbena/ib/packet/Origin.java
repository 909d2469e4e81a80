package io.verbena.ib.packet;

import io.verbena.base.PacketPath;

/**
 * The origin of a packet as its carrier reports it. An address has 16 bytes; see {@link PacketPath#addressHigh}. One
 * object is reused for all packets of a port.
 */
public final class Origin {

    private long sourceHigh;
    private long sourceLow;
    private long targetHigh;
    private long targetLow;
    private int trafficClass;
    private int hopLimit = 64;
    private boolean overUdp = true;

    /** Sets the address of the sender. */
    public Origin source(long high, long low) {
        sourceHigh = high;
        sourceLow = low;
        return this;
    }

    /** Sets the destination address: of this port, or of a multicast group. */
    public Origin target(long high, long low) {
        targetHigh = high;
        targetLow = low;
        return this;
    }

    /** Sets the IPv4 TOS or IPv6 traffic class byte. */
    public Origin trafficClass(int value) {
        trafficClass = value;
        return this;
    }

    /** Sets the IPv4 TTL or IPv6 hop limit; 64 if the carrier does not report it. */
    public Origin hopLimit(int value) {
        hopLimit = value;
        return this;
    }

    /** The packet came without UDP, in a subnet of InfiniBand. */
    public Origin withoutUdp() {
        overUdp = false;
        return this;
    }

    /** Whether the carrier is UDP. */
    public boolean overUdp() {
        return overUdp;
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

    /** Whether a router marked the packet because of congestion. */
    public boolean congested() {
        return PacketPath.ecn(trafficClass) == PacketPath.CONGESTION_EXPERIENCED;
    }

    /**
     * Whether the sender has the address of a path. The port is not compared, because a peer may send from any port.
     */
    public boolean from(PacketPath path) {
        return path.addressHigh() == sourceHigh && path.addressLow() == sourceLow;
    }
}
