package io.verbena.port;

import io.verbena.base.PacketList;
import java.io.IOException;

/** Sends packets from the address of a packet port. Used by one thread. */
public interface PacketSender {

    /** Maximum number of packets of one group per call; 1 if each packet needs a call. For {@link PacketList#reset}. */
    int groupPackets();

    /** Maximum number of bytes of such a call. */
    int groupBytes();

    /**
     * Sends the packets of a list, in order.
     *
     * @param from index of the first packet to send
     * @return the index after the last packet sent; less than the number of packets if the port accepts no more now
     * @throws IOException if the port is broken; a problem with one destination is reported as an event instead
     */
    int send(PacketList list, int from) throws IOException;

    /**
     * The source port of packets on paths with this entropy ({@link io.verbena.base.PacketPath#withEntropy}), which routers may carry
     * differently; 0 for the local port, as all packets have that a sender with one port sends. It does not change.
     */
    default int sourcePort(int entropy) {
        return 0;
    }

    /** Closes the sender. */
    void close();
}
