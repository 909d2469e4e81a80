package io.verbena.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;

/**
 * What a carrier puts around a packet of the transport: nothing before the BTH and an ICRC over an invented IP header for
 * UDP; LRH, GRH, ICRC and VCRC in a subnet.
 */
public interface Encapsulation {

    /** Bytes before the BTH on this path. */
    int headerBytes(PacketPath path);

    /** Bytes after the padding. */
    int trailerBytes();

    /**
     * Completes a packet whose transport headers, payload and padding are written.
     *
     * @param slab holds it
     * @param offset of its first byte, that is {@link #headerBytes} before the BTH
     * @param lengthBytes of all of it, headers and trailers of the carrier included
     * @param index in its group, see {@link io.verbena.base.PacketList}
     */
    void complete(Slab slab, int offset, int lengthBytes, PacketPath path, int index);
}
