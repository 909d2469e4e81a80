package io.verbena.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;

/**
 * The headers and trailers that a carrier adds to a packet of the transport. UDP adds the ICRC; a subnet adds LRH, GRH,
 * ICRC and VCRC.
 */
public interface Encapsulation {

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
}
