package io.verbena.fabric.endnode;

/** Observes packets as their senders give them to the fabric, from LRH to VCRC. */
@FunctionalInterface
public interface PacketTap {

    /** Observes nothing. */
    PacketTap NONE = (packet, nowNs) -> {};

    /**
     * A packet was sent.
     *
     * @param packet must not be changed
     * @param nowNs virtual time since the beginning
     */
    void onPacket(byte[] packet, long nowNs);
}
