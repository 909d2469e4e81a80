package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;

/**
 * Builds the packets of one port, one after the other: {@link #begin}, then the headers and the payload, then {@link #end}.
 * A whole packet lies in the list's slab, for its checksum must not run over memory that others can change. All queue pairs
 * of the port's engine share it.
 */
public final class PacketBuilder {

    private final PacketList list;
    private final Encapsulation around;
    private final Bth bth = new Bth();
    private int start;
    private int length;
    private int bthOffset;
    private int headers;

    /** Builds packets in a list, for the carrier that the list's port belongs to. */
    public PacketBuilder(PacketList list, Encapsulation around) {
        this.list = list;
        this.around = around;
    }

    /** Bytes of the packets that were built since the list was emptied. */
    int bytes() {
        return list.bytes();
    }

    /**
     * Begins a packet. False when the list has no room: nothing happened.
     *
     * @param payloadBytes without padding
     */
    boolean begin(PacketPath path, IbOpcode opcode, int destQp, int psn, int payloadBytes) {
        int pad = -payloadBytes & 3;
        int before = around.headerBytes(path);
        headers = before + opcode.headerBytes();
        length = headers + payloadBytes + pad + around.trailerBytes();
        start = list.reserve(length);
        if (start == PacketList.FULL) {
            return false;
        }
        bthOffset = start + before;
        bth.wrap(segment(), bthOffset).set(opcode, destQp, psn).pad(pad);
        for (int i = 0; i < pad; i++) {
            segment().set(JAVA_BYTE, payload() + payloadBytes + i, (byte) 0);
        }
        return true;
    }

    /** The BTH of the packet that was begun. */
    Bth bth() {
        return bth;
    }

    /** Where the packet lies. */
    MemorySegment segment() {
        return list.slab().segment();
    }

    /** Where a header of the packet begins, given its offset from the BTH. */
    long header(int offsetFromBth) {
        return bthOffset + offsetFromBth;
    }

    /** Where the payload begins. */
    long payload() {
        return (long) start + headers;
    }

    /** The packet that was begun does not leave. */
    void drop() {
        list.dropOpenPacket();
    }

    /** Ends the packet. */
    void end(PacketPath path) {
        int index = list.endPacket(path, 0);
        around.complete(list.slab(), start, length, path, index);
    }
}
