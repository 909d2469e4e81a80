package io.verbena.rnic.ib.port;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.Origin;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketSender;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.net.InetAddress;

/** The headers and sums around the packets of a port: those of UDP, or those of a subnet. */
public interface Framing {

    /** What is added to the packets of a sender. */
    Encapsulation encapsulation(PacketSender sender);

    /** The path to a peer. Any thread. */
    PacketPath path(InetAddress peer, int trafficClass);

    /** The path that an address handle describes. Any thread. */
    PacketPath path(AddressHandleAttributes to);

    /**
     * Whether a peer may name an address as one of its own although only the path to it is proven. A host on the network has one address;
     * packets to another one would go to a host that has not asked for them.
     */
    default boolean belongsToPeer(PacketPath proven, long high, long low) {
        return high == proven.addressHigh() && low == proven.addressLow();
    }

    /** Whether an address belongs to this side although it is not the first one of the port. */
    default boolean owns(long high, long low) {
        return false;
    }

    /**
     * Checks a received packet and removes what its carrier has added.
     *
     * @param packet is decoded if the packet is admitted
     * @param origin receives the addresses of the packet
     */
    Admission.Outcome admit(PacketBatch batch, int index, Admission admission, IbPacket packet, Origin origin);

    /**
     * Checks packets that follow an admitted one, as far as they continue it: see {@link Admission#follow}. Returns
     * their number.
     *
     * @param index of the admitted packet, the last one that {@link #admit} was called for
     * @param most number of packets after it that are alike ({@link PacketBatch#alike})
     */
    default int follow(PacketBatch batch, int index, int most, Admission admission, IbPacket admitted, PacketRun run) {
        return 0;
    }

    /**
     * The destination queue pair of a received packet that has not been checked; -1 if it is too short, or belongs to an end-to-end
     * context, which the engine of the port serves.
     */
    int destination(PacketBatch batch, int index);
}
