package io.verbena.tcp.link;

import java.lang.foreign.MemorySegment;

/** The protocol by which a host and the others on its Ethernet link find each other: {@link Arp} or {@link NeighborDiscovery}. */
sealed interface EthernetProtocol extends Neighbors.Resolution permits Arp, NeighborDiscovery {

    /** Whether frames to this group of stations are for this host. */
    boolean joins(long group);

    /**
     * A frame for this host has arrived.
     *
     * @param type of the frame
     * @param from offset of its content
     * @return whether it was a message of this protocol
     */
    boolean onFrame(int type, MemorySegment memory, long from, long to, long nowNs);

    /** Whether the host may use its address. */
    boolean ready();

    /** Why the host may not use its address; empty as long as it may. */
    String conflict();

    /** When to call {@link #onDeadline}, or {@link io.verbena.base.Times#NEVER}. */
    long nextDeadlineNs();

    void onDeadline(long nowNs);
}
