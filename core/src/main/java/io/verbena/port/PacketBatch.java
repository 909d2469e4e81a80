package io.verbena.port;

import io.verbena.base.Slab;
import java.net.InetSocketAddress;

/**
 * Packets as they have arrived: their bytes in one slab, and of each its place, its source and what the IP header said.
 * Belongs to one engine and is used again for each look at a port.
 *
 * <p>Packets that came in one buffer of the system (UDP_GRO) form a group; a sender that sends groups numbers the IPv4
 * identification from packet to packet, so once the first one's is known, the others' are.
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
    private int packets;
    private int used;

    /**
     * A batch.
     *
     * @param slabBytes room for the bytes of all packets
     * @param capacity most packets
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
    }

    /** Empties it. */
    public void reset() {
        packets = 0;
        used = 0;
    }

    // For the port.

    public int capacity() {
        return offset.length;
    }

    public Slab slab() {
        return slab;
    }

    /** Where the next packet may be written: the slab is free from here. */
    public int used() {
        return used;
    }

    /** Whether a packet of this many bytes can be added. */
    public boolean fits(int bytes) {
        return packets < offset.length && bytes <= slab.capacity() - used;
    }

    /**
     * Adds the packet that was written at {@link #used}.
     *
     * @param high the source address as IPv6 has it, first half; see {@link Addresses#high}
     * @param classByte the TOS or traffic class byte, 0 if the system does not say
     * @param index in the buffer that the system gave, from 0
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
        packets++;
        used += bytes;
    }

    // For the engine.

    public int packets() {
        return packets;
    }

    /** Where a packet begins in the slab. */
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

    /** A packet's index in the buffer that the system gave: 0 for the first one and for packets that came alone. */
    public int indexInGroup(int packet) {
        return indexInGroup[packet];
    }

    /** The source as an object; for control and for errors, never for each packet. */
    public InetSocketAddress source(int packet) {
        return new InetSocketAddress(Addresses.address(sourceHigh[packet], sourceLow[packet]), sourcePort[packet]);
    }
}
