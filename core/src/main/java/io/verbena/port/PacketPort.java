package io.verbena.port;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Sends and receives whole packets at one local address: a UDP socket in real time, a virtual port in a simulation.
 * Packets may be lost, duplicated and reordered, but arrive whole. Used by the thread that owns its engine.
 */
public interface PacketPort extends PacketSender {

    /** The local address. */
    InetSocketAddress localAddress();

    /**
     * Number of bytes that the port buffers for the receiver before it drops packets, in the accounting of the system.
     * All flows of the port share it, so the window of a sender must be derived from the value of the receiver.
     */
    int receiveBufferBytes();

    /** Whether received packets show the traffic class with which they arrived, and so a mark of a congested router. */
    boolean showsTrafficClass();

    /**
     * A sender with the address of this port for another thread, which closes it. The port stays the only receiver. If such a sender accepts no
     * more packets, its owner tries again later: no event follows.
     *
     * @param unreachable receives destinations that cannot be reached, within {@link #send}
     */
    PacketSender share(Consumer<InetSocketAddress> unreachable) throws IOException;

    /** The least number of bytes of a batch: one receiving call of the system returns up to this many. */
    int LEAST_BATCH_BYTES = 65_536;

    /** The least number of packets of a batch: one receiving call of the system returns up to this many. */
    int LEAST_BATCH_PACKETS = 128;

    /**
     * Receives available packets into an empty batch. Packets that do not fit remain in the port.
     *
     * @param batch with at least {@link #LEAST_BATCH_BYTES} and {@link #LEAST_BATCH_PACKETS}, so that no packet is
     *     truncated
     * @return the number of packets in the batch; 0 does not mean that none is left
     * @throws IOException if the port is broken
     */
    int receive(PacketBatch batch) throws IOException;

    /** Sets whether {@link PacketEvents#onWritable} is reported. */
    void wantWritable(boolean wanted);

    /** Joins a multicast group (IGMP or MLD). Joining a group twice has no further effect. */
    void join(InetAddress group) throws IOException;

    /** Leaves a multicast group. */
    void leave(InetAddress group) throws IOException;

    /** Closes the port; no event follows. */
    @Override
    void close();
}
