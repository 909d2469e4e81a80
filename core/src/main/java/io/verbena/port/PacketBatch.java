package io.verbena.port;

import io.verbena.base.Slab;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Received packets: their bytes in one slab and, for each, its offset, its source and the traffic class of the IP
 * header. Belongs to one engine, which reuses it for every receive.
 *
 * <p>Packets that arrived in one buffer of the system (UDP_GRO) form a group. A sender of groups numbers the IPv4
 * identification consecutively, so that the identification of the first packet determines the others.
 */
public final class PacketBatch {

    private final Slab slab;
    private final int[] offset;
    private final int[] length;
    private final int[] indexInGroup;
    private final int[] group;

    // By group.
    private final long[] sourceHigh;
    private final long[] sourceLow;
    private final int[] sourcePort;
    private final int[] trafficClass;
    private final long[] targetHigh;
    private final long[] targetLow;

    private long nextTargetHigh;
    private long nextTargetLow;
    private int packets;
    private int groups;
    private int used;

    /**
     * Creates a batch.
     *
     * @param slabBytes size of the slab for the bytes of all packets
     * @param capacity maximum number of packets
     */
    public PacketBatch(int slabBytes, int capacity) {
        slab = new Slab(slabBytes);
        offset = new int[capacity];
        length = new int[capacity];
        indexInGroup = new int[capacity];
        group = new int[capacity];
        sourceHigh = new long[capacity];
        sourceLow = new long[capacity];
        sourcePort = new int[capacity];
        trafficClass = new int[capacity];
        targetHigh = new long[capacity];
        targetLow = new long[capacity];
    }

    /** Empties the batch. */
    public void reset() {
        packets = 0;
        groups = 0;
        used = 0;
        sentTo(0, 0);
    }

    // For the port.

    public int capacity() {
        return offset.length;
    }

    public Slab slab() {
        return slab;
    }

    /** The offset in the slab for the next packet; the slab is free from here. */
    public int used() {
        return used;
    }

    /** Whether this many packets with this many bytes altogether can be added. */
    public boolean fits(int count, int bytes) {
        return count <= offset.length - packets && bytes <= slab.capacity() - used;
    }

    /**
     * The packets added from now on were sent to this address: a multicast group. Before the first call it is the
     * address of the port.
     *
     * @param high first half of the address in IPv6 form; both halves 0 for the address of the port
     */
    public void sentTo(long high, long low) {
        nextTargetHigh = high;
        nextTargetLow = low;
    }

    /** All packets of the batch were sent to this address, which is not the first one of the receiver. */
    public void allSentTo(long high, long low) {
        Arrays.fill(targetHigh, 0, packets, high);
        Arrays.fill(targetLow, 0, packets, low);
    }

    /** Whether a packet of this many bytes can be added. */
    public boolean fits(int bytes) {
        return packets < offset.length && bytes <= slab.capacity() - used;
    }

    /**
     * Adds the packet that was written at {@link #used}.
     *
     * @param high first half of the source address in IPv6 form; see {@link Addresses#high}
     * @param classByte the TOS or traffic class byte; 0 if the system does not report it
     * @param index index in the buffer of the system, from 0
     */
    public void add(int bytes, long high, long low, int port, int classByte, int index) {
        if (!continues(high, low, port, classByte, index)) {
            begin(high, low, port, classByte);
        }
        add(bytes, index);
    }

    /**
     * Adds packets of one length that were written at {@link #used}, one after the other; the last one may be shorter.
     * Those that do not fit are left out.
     *
     * @param bytes of all packets
     * @param each of one packet
     * @param classByte as for {@link #add}
     */
    public void addGroup(int bytes, int each, long high, long low, int port, int classByte) {
        begin(high, low, port, classByte);
        int left = bytes;
        for (int index = 0; left > 0 && fits(left); index++) {
            int next = Math.min(each, left);
            add(next, index);
            left -= next;
        }
    }

    /** Whether a packet belongs to the group of the one before it. */
    private boolean continues(long high, long low, int port, int classByte, int index) {
        int last = groups - 1;
        return packets > 0
                && index == indexInGroup[packets - 1] + 1
                && low == sourceLow[last]
                && high == sourceHigh[last]
                && port == sourcePort[last]
                && classByte == trafficClass[last]
                && nextTargetLow == targetLow[last]
                && nextTargetHigh == targetHigh[last];
    }

    private void begin(long high, long low, int port, int classByte) {
        sourceHigh[groups] = high;
        sourceLow[groups] = low;
        sourcePort[groups] = port;
        trafficClass[groups] = classByte;
        targetHigh[groups] = nextTargetHigh;
        targetLow[groups] = nextTargetLow;
        groups++;
    }

    private void add(int bytes, int index) {
        assert fits(bytes);
        offset[packets] = used;
        length[packets] = bytes;
        indexInGroup[packets] = index;
        group[packets] = groups - 1;
        packets++;
        used += bytes;
    }

    // For the engine.

    public int packets() {
        return packets;
    }

    /** The offset of a packet in the slab. */
    public int offset(int packet) {
        return offset[packet];
    }

    public int length(int packet) {
        return length[packet];
    }

    public long sourceHigh(int packet) {
        return sourceHigh[group[packet]];
    }

    public long sourceLow(int packet) {
        return sourceLow[group[packet]];
    }

    public int sourcePort(int packet) {
        return sourcePort[group[packet]];
    }

    public int trafficClass(int packet) {
        return trafficClass[group[packet]];
    }

    /**
     * The index of a packet in the buffer of the system: 0 for the first packet and for packets that arrived
     * separately.
     */
    public int indexInGroup(int packet) {
        return indexInGroup[packet];
    }

    /** Number of packets after a packet that belong to its group and have its length: all but their bytes is equal. */
    public int alike(int packet) {
        int next = packet + 1;
        while (next < packets && group[next] == group[packet] && length[next] == length[packet]) {
            next++;
        }
        return next - packet - 1;
    }

    /** Whether a packet was sent to a multicast group or a further address, which the next two methods return. */
    public boolean toGroup(int packet) {
        return (targetHigh[group[packet]] | targetLow[group[packet]]) != 0;
    }

    public long groupHigh(int packet) {
        return targetHigh[group[packet]];
    }

    public long groupLow(int packet) {
        return targetLow[group[packet]];
    }

    /** The source as an object; for control and for errors, not for every packet. */
    public InetSocketAddress source(int packet) {
        return new InetSocketAddress(Addresses.address(sourceHigh(packet), sourceLow(packet)), sourcePort(packet));
    }
}
