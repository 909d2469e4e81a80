package io.verbena.ib.packet;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;

/**
 * The headers and trailers that a carrier adds to a packet of the transport. UDP adds the ICRC; a subnet adds LRH, GRH,
 * ICRC and VCRC.
 */
public interface Encapsulation {

    /** The carrier transports IPv6 packets in packets of the transport only. */
    int NOT_RAW = -1;

    /** Number of bytes before the BTH on this path. */
    int headerBytes(PacketPath path);

    /** Number of bytes after the padding. */
    int trailerBytes();

    /**
     * Completes a packet whose transport headers, payload and padding have been written.
     *
     * @param slab contains the packet
     * @param offset of the first byte, {@link #headerBytes} before the BTH
     * @param lengthBytes of the packet, including headers and trailers of the carrier
     * @param index of the packet in its group, see {@link io.verbena.base.PacketList}
     */
    void complete(Slab slab, int offset, int lengthBytes, PacketPath path, int index);

    /**
     * The number of bytes that precede an IPv6 packet which the carrier transports as it is; {@link #NOT_RAW} if raw datagrams are packets of the
     * transport.
     */
    default int rawHeaderBytes() {
        return NOT_RAW;
    }

    /** Number of bytes after an IPv6 packet and its padding. */
    default int rawTrailerBytes() {
        return 0;
    }

    /** Completes an IPv6 packet that the carrier transports as it is; the parameters are those of {@link #complete}. */
    default void completeRaw(Slab slab, int offset, int lengthBytes, PacketPath path) {
        throw new UnsupportedOperationException("the carrier transports no IPv6 packets as they are");
    }
}
