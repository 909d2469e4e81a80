package io.verbena.base;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The packets that an engine sends in one turn: headers and small payload are in the slab of the list, large payload
 * may stay in user memory. It belongs to one engine, and its content does not outlive a turn.
 *
 * <p>A system call costs as much for sixty packets as for one if the packets have one destination and one length
 * (UDP_SEGMENT). So consecutive packets form a <em>group</em>:
 *
 * <pre>
 *   packets   | 1040 | 1040 | 1040 | 500 | 60 | 1040 |
 *   path      |  A   |  A   |  A   |  A  | A  |  B   |
 *   group     |---------- 0 -------------|-1--|--2---|
 *   index     |  0   |  1   |  2   |  3  | 0  |  0   |
 * </pre>
 *
 * A packet joins the preceding group if the path is the same, the packet is not longer than the first packet of the
 * group, no shorter packet has closed the group, and the limits of the port permit it. The index of a packet within its
 * group matters for a checksum that covers the IPv4 identification: a port that sends groups numbers the packets of a
 * group from 0.
 */
public final class PacketList {

    /** Result of {@link #reserve} if the slab is full. */
    public static final int FULL = -1;

    private static final int NO_GROUP = -1;

    private final TransmitList bytes;
    private int groupPackets = 1;
    private int groupBytes = Integer.MAX_VALUE;

    private int packets;
    private int groups;
    private PacketPath[] path = new PacketPath[64];
    private int[] group = new int[64];
    private int[] firstPiece = new int[64];
    private int[] groupFirst = new int[64];

    private int openGroup = NO_GROUP;
    private int openLength;
    private int openBytes;

    /** Creates a list with a slab of this size. */
    public PacketList(int slabBytes) {
        bytes = new TransmitList(slabBytes);
    }

    /**
     * Empties the list for packets of a port.
     *
     * @param mostPackets maximum number of packets to one destination per call of the port; 1 if it sends each packet
     *     separately
     * @param mostBytes maximum number of bytes of such a call
     */
    public void reset(int mostPackets, int mostBytes) {
        if (mostPackets < 1 || mostBytes < 1) {
            throw new IllegalArgumentException("a group needs at least one packet and one byte");
        }
        bytes.reset();
        groupPackets = mostPackets;
        groupBytes = mostBytes;
        packets = 0;
        groups = 0;
        openGroup = NO_GROUP;
    }

    /** The slab, to write to the bytes returned by {@link #reserve}. */
    public Slab slab() {
        return bytes.slab();
    }

    /** Reserves bytes of the slab as the next bytes of the packet. Returns their offset, or {@link #FULL}. */
    public int reserve(int count) {
        startPacket();
        return bytes.reserveApart(count, packetIsEmpty());
    }

    /** Adds a range of a view of user memory as the next bytes of the packet; see {@link TransmitList#addView}. */
    public void addView(ByteBuffer view, int offset, int count, long at) {
        startPacket();
        bytes.addView(view, offset, count, at);
    }

    private boolean packetIsEmpty() {
        return bytes.pieces() == firstPiece[packets];
    }

    private void startPacket() {
        if (packets == path.length) {
            path = Arrays.copyOf(path, packets * 2);
            group = Arrays.copyOf(group, packets * 2);
            firstPiece = Arrays.copyOf(firstPiece, packets * 2);
            groupFirst = Arrays.copyOf(groupFirst, packets * 2);
        }
        if (openBytesOfPacket() == 0) {
            firstPiece[packets] = bytes.pieces();
        }
    }

    private int openBytesOfPacket() {
        return bytes.bytes() - end(packets - 1);
    }

    /**
     * Ends a packet: all bytes since the end of the preceding packet.
     *
     * @param tag value for the creator of the packet
     * @return the index of the packet in its group
     */
    public int endPacket(PacketPath to, long tag) {
        int length = openBytesOfPacket();
        assert length > 0 : "an empty packet";
        if (!joins(to, length)) {
            openGroup = groups++;
            groupFirst[openGroup] = packets;
            openLength = length;
            openBytes = 0;
        }
        openBytes += length;
        path[packets] = to;
        group[packets] = openGroup;
        bytes.endUnit(tag);
        int index = packets - groupFirst[openGroup];
        packets++;
        if (length < openLength) {
            // Only the last packet of a call may be shorter than the first.
            openGroup = NO_GROUP;
        }
        return index;
    }

    private boolean joins(PacketPath to, int length) {
        return openGroup != NO_GROUP
                && path[packets - 1].same(to)
                && length <= openLength
                && packets - groupFirst[openGroup] < groupPackets
                && openBytes + length <= groupBytes;
    }

    /** Discards the bytes of the packet that has not been ended. */
    public void dropOpenPacket() {
        bytes.truncate(firstPieceOrEnd(), end(packets - 1));
    }

    private int firstPieceOrEnd() {
        return openBytesOfPacket() == 0 ? bytes.pieces() : firstPiece[packets];
    }

    // For the port.

    public int packets() {
        return packets;
    }

    /** Bytes of all packets. */
    public int bytes() {
        return bytes.bytes();
    }

    public PacketPath path(int packet) {
        return path[packet];
    }

    public long tag(int packet) {
        return bytes.unitTag(packet);
    }

    public int length(int packet) {
        return end(packet) - end(packet - 1);
    }

    /** Whether all bytes are in the slab, where they follow each other. */
    public boolean inSlab() {
        return bytes.inSlab();
    }

    /** Bytes of consecutive packets, {@code end} not included. */
    public int bytes(int first, int end) {
        return end(end - 1) - end(first - 1);
    }

    private int end(int packet) {
        return packet < 0 ? 0 : bytes.unitEnd(packet);
    }

    /** The index of the first packet after the group of a packet. */
    public int groupEnd(int packet) {
        int next = group[packet] + 1;
        return next < groups ? groupFirst[next] : packets;
    }

    /** The index of the first piece of a packet, whose pieces extend to the first piece of the next packet. */
    public int firstPiece(int packet) {
        return packet < packets ? firstPiece[packet] : bytes.pieces();
    }

    public ByteBuffer piece(int index) {
        return bytes.piece(index);
    }

    public long pieceAddress(int index) {
        return bytes.pieceAddress(index);
    }

    public int pieceLength(int index) {
        return bytes.pieceLength(index);
    }

    /** Copies a packet into a buffer at the position of the buffer. */
    public void copyOut(int packet, ByteBuffer target) {
        for (int i = firstPiece(packet); i < firstPiece(packet + 1); i++) {
            ByteBuffer piece = bytes.piece(i);
            int length = piece.remaining();
            target.put(target.position(), piece, piece.position(), length);
            target.position(target.position() + length);
        }
    }
}
