package io.verbena.port;

import io.verbena.base.PacketList;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Sends and receives whole packets at one local address: a UDP socket in real time, a virtual one in a simulation. Packets
 * may be lost, doubled and reordered on the way; what arrives is whole. Used by the thread that owns its engine.
 */
public interface PacketPort {

    /** The address that it is bound to. */
    InetSocketAddress localAddress();

    /** Most packets of one group that one call sends; 1 if each packet is a call of its own. For {@link PacketList#reset}. */
    int groupPackets();

    /** Most bytes of such a call. */
    int groupBytes();

    /**
     * Bytes that the port holds for the receiver before it drops packets, as the system accounts them. All flows of the port
     * share them, so a sender's window follows from the receiver's figure.
     */
    int receiveBufferBytes();

    /**
     * Sends the packets of a list, in order.
     *
     * @param from the first packet that is to be sent
     * @return the packet behind the last one that was taken; less than all when there is no room now
     * @throws IOException when the port is broken; trouble with one destination is an event instead
     */
    int send(PacketList list, int from) throws IOException;

    /**
     * Receives what has arrived into an empty batch.
     *
     * @return packets in the batch
     * @throws IOException when the port is broken
     */
    int receive(PacketBatch batch) throws IOException;

    /** Whether {@link PacketEvents#onWritable} is reported when there is room again. */
    void wantWritable(boolean wanted);

    /** Receives packets that are sent to a multicast group as well (IGMP or MLD join). Joining twice is joining once. */
    void join(InetAddress group) throws IOException;

    /** Leaves a multicast group. */
    void leave(InetAddress group) throws IOException;

    /** Closes the port; no event follows. */
    void close();
}
