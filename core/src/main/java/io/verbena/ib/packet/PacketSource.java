package io.verbena.ib.packet;

/** Builds packets for a port: a queue pair, or an end-to-end context. */
public interface PacketSource {

    /** Builds packets until {@code byteBudget} is reached, the list is full or no work is left. */
    void fillTransmit(PacketBuilder out, int byteBudget, long nowNs);
}
