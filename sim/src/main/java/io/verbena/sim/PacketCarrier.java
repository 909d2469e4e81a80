package io.verbena.sim;

import io.verbena.base.PacketPath;
import io.verbena.rnic.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.util.function.BiConsumer;

/**
 * A network that carries the packets of all hosts of a World instead of its own packet network: a simulated fabric. Its events happen
 * in the time of the World, in nanoseconds since the beginning.
 */
public interface PacketCarrier {

    /** The time of an event that never happens. */
    long NEVER = Long.MAX_VALUE;

    /** The address of a host, which is known before the host exists; 1 for the first. */
    InetAddress address(int host);

    /** The transport of the RNIC of a host. */
    Transport transport(int host);

    /** From now on, packets that arrive are passed on with the address of their host. */
    void deliverTo(BiConsumer<InetAddress, byte[]> receiver);

    /** A host sends a packet now. */
    void send(InetAddress from, PacketPath to, byte[] packet, long nowNs);

    /**
     * A host becomes a member of a multicast group.
     *
     * @throws IOException if the network has no groups, or has no place for another one
     */
    default void join(InetAddress host, InetAddress group) throws IOException {
        throw new IOException("Multicast groups are not available in this network.");
    }

    /** A host is a member of a multicast group no more. */
    default void leave(InetAddress host, InetAddress group) {}

    /** The time of the next event; {@link #NEVER} if there will be none. */
    long nextNs();

    /** Runs all events up to a time. */
    void run(long untilNs);

    /** A digest of everything that happened. */
    long hash();
}
