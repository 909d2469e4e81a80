package io.verbena.ib.packet;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.PathEth;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Builds the packets of one port, one at a time: {@link #begin}, then the headers and the payload, then {@link #end}.
 * The complete packet is stored in the slab of the list, because its checksum must not be computed over memory that
 * other threads can change. All queue pairs of the engine share one builder. Packets from different addresses of
 * this side have
 * lists of their own.
 */
public final class PacketBuilder {

    private final List<Outgoing> addresses;
    private PacketList list;
    private Encapsulation around;

    /** The address of the packet in progress, by its number. */
    private int address;

    private final Bth bth = new Bth();
    private int start;
    private int length;
    private int bthOffset;
    private int headers;
    private int shift;
    private boolean raw;

    /**
     * The packets from one address.
     *
     * @param list receives them
     * @param around what the carrier of the port adds that sends the list
     */
    public record Outgoing(PacketList list, Encapsulation around) {}

    /** A builder for a list, and for the carrier of the port that sends the list. */
    public PacketBuilder(PacketList list, Encapsulation around) {
        this(List.of(new Outgoing(list, around)));
    }

    /** A builder for packets from several addresses of this side, in the order of their numbers. */
    public PacketBuilder(List<Outgoing> addresses) {
        this.addresses = List.copyOf(addresses);
        list = addresses.getFirst().list();
        around = addresses.getFirst().around();
    }

    private void leaveFrom(int number) {
        address = number;
        list = addresses.get(number).list();
        around = addresses.get(number).around();
    }

    /** Total length of the packets that were built since the lists were emptied. */
    public int bytes() {
        if (addresses.size() == 1) {
            return list.bytes();
        }
        int sum = 0;
        for (int i = 0; i < addresses.size(); i++) {
            sum += addresses.get(i).list().bytes();
        }
        return sum;
    }

    /**
     * Begins a packet. Returns false without any effect when the list is full.
     *
     * @param payloadBytes without padding
     */
    public boolean begin(PacketPath path, IbOpcode opcode, int destQp, int psn, int payloadBytes) {
        return begin(path, opcode, 0, destQp, psn, payloadBytes);
    }

    /**
     * Begins a request that names its path and its place: a packet with opcode D4 around the request. The caller fills the
     * {@link PathEth}, at the position {@link #pathHeader}.
     */
    public boolean beginSprayed(PacketPath path, IbOpcode request, int destQp, int psn, int payloadBytes) {
        if (!begin(path, request, PathEth.LENGTH, destQp, psn, payloadBytes)) {
            return false;
        }
        bth.opcodeValue(IbOpcode.PATH_DATA.value());
        return true;
    }

    private boolean begin(PacketPath path, IbOpcode opcode, int between, int destQp, int psn, int payloadBytes) {
        int pad = -payloadBytes & 3;
        if (!reserve(path, between + opcode.headerBytes(), payloadBytes + pad)) {
            return false;
        }
        shift = between;
        bth.wrap(segment(), bthOffset).set(opcode, destQp, psn).pad(pad);
        pad(payloadBytes, pad);
        return true;
    }

    /**
     * Begins a packet of a message whose BTH is given. Returns false without any effect when the list is full.
     *
     * @param head the first part of the BTH, {@link Bth#head}, with the opcode
     * @param tail the second part, {@link Bth#tail}
     * @param payloadBytes without padding
     */
    public boolean begin(PacketPath path, IbOpcode opcode, long head, int tail, int payloadBytes) {
        int pad = -payloadBytes & 3;
        if (!reserve(path, opcode.headerBytes(), payloadBytes + pad)) {
            return false;
        }
        shift = 0;
        bth.wrap(segment(), bthOffset).set(head, tail, pad);
        pad(payloadBytes, pad);
        return true;
    }

    private boolean reserve(PacketPath path, int transportBytes, int paddedBytes) {
        if (path.source() != address) {
            leaveFrom(path.source());
        }
        raw = false;
        int before = around.headerBytes(path);
        headers = before + transportBytes;
        length = headers + paddedBytes + around.trailerBytes();
        start = list.reserve(length);
        bthOffset = start + before;
        return start != PacketList.FULL;
    }

    /**
     * Begins an IPv6 packet that the carrier transports as it is, or a packet of the transport with the IPv6 packet as its payload. Returns
     * false without any effect when the list is full.
     */
    public boolean beginRaw(PacketPath path, int destQp, int lengthBytes) {
        if (path.source() != address) {
            leaveFrom(path.source());
        }
        headers = around.rawHeaderBytes();
        if (headers == Encapsulation.NOT_RAW) {
            return begin(path, IbOpcode.RAW_DATAGRAM, destQp, 0, lengthBytes);
        }
        int pad = -lengthBytes & 3;
        length = headers + lengthBytes + pad + around.rawTrailerBytes();
        start = list.reserve(length);
        if (start == PacketList.FULL) {
            return false;
        }
        raw = true;
        pad(lengthBytes, pad);
        return true;
    }

    private void pad(int payloadBytes, int pad) {
        for (int i = 0; i < pad; i++) {
            segment().set(JAVA_BYTE, payload() + payloadBytes + i, (byte) 0);
        }
    }

    /** The BTH of the packet in progress. */
    public Bth bth() {
        return bth;
    }

    /** The memory that contains the packet. */
    public MemorySegment segment() {
        return list.slab().segment();
    }

    /** Position of a header of the packet, given its offset from the BTH. */
    public long header(int offsetFromBth) {
        return (long) bthOffset + shift + offsetFromBth;
    }

    /** Position of the PathEth of the packet. */
    public long pathHeader() {
        return (long) bthOffset + Bth.LENGTH;
    }

    /** Position of the payload. */
    public long payload() {
        return (long) start + headers;
    }

    /** Discards the packet in progress. */
    public void drop() {
        list.dropOpenPacket();
    }

    /** Ends the packet. */
    public void end(PacketPath path) {
        int index = list.endPacket(path, 0);
        if (raw) {
            around.completeRaw(list.slab(), start, length, path);
        } else {
            around.complete(list.slab(), start, length, path, index);
        }
    }
}
