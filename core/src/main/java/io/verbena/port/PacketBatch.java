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
    private final long[] sourceHigh;
    private final long[] sourceLow;
    private final int[] sourcePort;
    private final int[] trafficClass;
    private final int[] indexInGroup;
    private final long[] targetHigh;
    private final long[] targetLow;
    private long nextTargetHigh;
    private long nextTargetLow;
    private int packets;
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
        sourceHigh = new long[capacity];
        sourceLow = new long[capacity];
        sourcePort = new int[capacity];
        trafficClass = new int[capacity];
        indexInGroup = new int[capacity];
        targetHigh = new long[capacity];
        targetLow = new long[capacity];
    }

    /** Empties the batch. */
    public void reset() {
        packets = 0;
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
        assert fits(bytes);
        offset[packets] = used;
        length[packets] = bytes;
        sourceHigh[packets] = high;
        sourceLow[packets] = low;
        sourcePort[packets] = port;
        trafficClass[packets] = classByte;
        indexInGroup[packets] = index;
        targetHigh[packets] = nextTargetHigh;
        targetLow[packets] = nextTargetLow;
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
        return sourceHigh[packet];
    }

    public long sourceLow(int packet) {
        return sourceLow[packet];
    }

    public int sourcePort(int packet) {
        return sourcePort[packet];
    }

    public int trafficClass(int packet) {
        return trafficClass[packet];
    }

    /**
     * The index of a packet in the buffer of the system: 0 for the first packet and for packets that arrived
     * separately.
     */
    public int indexInGroup(int packet) {
        return indexInGroup[packet];
    }

    /**
     * Number of packets after a packet that have its length, its source, its destination and its traffic class, and continue the
     * numbers of its group.
     */
    public int alike(int packet) {
        int next = packet + 1;
        while (next < packets
                && length[next] == length[packet]
                && indexInGroup[next] == indexInGroup[packet] + next - packet
                && sourceLow[next] == sourceLow[packet]
                && sourceHigh[next] == sourceHigh[packet]
                && sourcePort[next] == sourcePort[packet]
                && trafficClass[next] == trafficClass[packet]
                && targetLow[next] == targetLow[packet]
                && targetHigh[next] == targetHigh[packet]) {
            next++;
        }
        return next - packet - 1;
    }

    /** Whether a packet was sent to a multicast group or a further address, which the next two methods return. */
    public boolean toGroup(int packet) {
        return (targetHigh[packet] | targetLow[packet]) != 0;
    }

    public long groupHigh(int packet) {
        return targetHigh[packet];
    }

    public long groupLow(int packet) {
        return targetLow[packet];
    }

    /** The source as an object; for control and for errors, not for every packet. */
    public InetSocketAddress source(int packet) {
        return new InetSocketAddress(Addresses.address(sourceHigh[packet], sourceLow[packet]), sourcePort[packet]);
    }
}
